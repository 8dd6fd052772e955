/** What the widgets compute and with which numbers, for the test that compares them with Python's. */

export {KEYS, VALUES} from "./bandwidth";
export {TREE} from "./beam";
export {SCORES, VALUES as MASK_VALUES} from "./mask";
export * from "./maths/beam";
export * from "./maths/kernel";
export * from "./maths/masked";
export * from "./maths/rotary";
export * from "./maths/smoothing";
export * from "./maths/softmax";
export {BASE, KEY, QUERY} from "./rotary";
export {STANDARD} from "./softmax";
