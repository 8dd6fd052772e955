/** Files: translated in the browser, and given back as files. */

import type {TranslateListReply} from "./api";
import {decodingFields, modelFields} from "./request-fields";
import {downloadText} from "./save-menu";
import {fetchJson, ServerError} from "./server";
import {chosenModel} from "./state";
import {relabel, runLatest} from "./tasks";

const LINES_PER_REQUEST = 50;
const BAD_REQUEST = 400;

/** Translate a file and download the translation: HTML with its tags, other texts line by line. */
export async function translateFile(file: File): Promise<void> {
  await runLatest("file", `Translating ${file.name}`, async signal => {
    const text = await file.text();
    const isHtml = /\.html?$/i.test(file.name);
    const lines = isHtml ? [text] : text.split("\n");
    const translated: string[] = [];
    for (let first = 0; first < lines.length; first += LINES_PER_REQUEST) {
      const texts = lines.slice(first, first + LINES_PER_REQUEST);
      const fields = {...modelFields(), ...decodingFields(), texts, format: isHtml ? "html" : "text"};
      const {translations} = await fetchJson<TranslateListReply>("translate", fields, signal);
      translations.forEach((each, index) => {
        const line = first + index + 1;
        if ("error" in each) throw new ServerError(BAD_REQUEST, `Line ${line} of ${file.name}: ${each.error.message}`);
        translated.push(each.text);
      });
      relabel("file", `Translating ${file.name}: ${translated.length} of ${lines.length} lines`);
    }
    const [, name, ending] = /^(.*?)(\.[^.]*)?$/.exec(file.name) as unknown as [string, string, string | undefined];
    const translatedName = `${name}.${chosenModel()?.target ?? "translated"}${ending ?? ".txt"}`;
    downloadText(translatedName, translated.join("\n"), isHtml ? "text/html" : "text/plain");
  });
}
