/** Files: translated in the browser, and given back as files. */

import type {TranslateListReply} from "./api";
import {decodingFields, modelFields} from "./request-fields";
import {downloadText} from "./save-menu";
import {fetchJson, ServerError} from "./server";
import {chosenModel} from "./state";
import {relabel, runLatest} from "./tasks";

const LINES_PER_REQUEST = 50;
const BAD_REQUEST = 400;
/** The first bytes of most UTF-16 files. */
const UTF_16 = ["\xff\xfe", "\xfe\xff"];

/** The text of a file. As `regard translate` does, it refuses what is not UTF-8. */
async function readText(file: File): Promise<string> {
  const bytes = await file.arrayBuffer();
  try {
    return new TextDecoder("utf-8", {fatal: true}).decode(bytes);
  } catch {
    if (UTF_16.includes(String.fromCharCode(...new Uint8Array(bytes, 0, 2)))) {
      throw new Error(`${file.name}: text must be UTF-8; got UTF-16, it seems. Convert the file first.`);
    }
    const [before = ""] = new TextDecoder().decode(bytes).split("\ufffd");
    const line = before.split("\n").length;
    throw new Error(`${file.name}, line ${line}: text must be UTF-8; got other bytes. Convert the file first.`);
  }
}

/** Translate a file and download the translation: HTML with its tags, other texts line by line; all with one model. */
export async function translateFile(
  file: File,
  request: object = {...modelFields(), ...decodingFields()},
  language = chosenModel()?.target ?? "translated",
): Promise<void> {
  const task = async (signal: AbortSignal): Promise<void> => {
    const text = await readText(file);
    const isHtml = /\.html?$/i.test(file.name);
    const lines = isHtml ? [text] : text.split(/\r?\n/);
    const translated: string[] = [];
    for (let first = 0; first < lines.length; first += LINES_PER_REQUEST) {
      const texts = lines.slice(first, first + LINES_PER_REQUEST);
      const fields = {...request, texts, format: isHtml ? "html" : "text"};
      const {translations} = await fetchJson<TranslateListReply>("translate", fields, signal);
      translations.forEach((each, index) => {
        const line = first + index + 1;
        if ("error" in each) throw new ServerError(BAD_REQUEST, `Line ${line} of ${file.name}: ${each.error.message}`);
        translated.push(each.text);
      });
      relabel("file", `Translating ${file.name}: ${translated.length} of ${lines.length} lines`);
    }
    const [, name, ending] = /^(.*?)(\.[^.]*)?$/.exec(file.name) as unknown as [string, string, string | undefined];
    downloadText(`${name}.${language}${ending ?? ".txt"}`, translated.join("\n"), isHtml ? "text/html" : "text/plain");
  };
  await runLatest("file", `Translating ${file.name}`, task, () => translateFile(file, request, language));
}
