/** Files are translated, and given back as files. */

import {direction, options} from "./actions";
import {only} from "./asking";
import {saveText} from "./saving";
import {ask, Failure} from "./server";
import {model, state, update} from "./state";

const LINES = 50; // in one request

/** Translate a file, and give the translation to the reader as another. HTML keeps its tags; of other texts, each line is translated. */
export async function translateFile(file: File): Promise<void> {
  await only("file", `Translating ${file.name}`, async signal => {
    const text = await file.text();
    const isHtml = /\.html?$/i.test(file.name);
    const lines = isHtml ? [text] : text.split("\n");
    const found: string[] = [];
    for (let first = 0; first < lines.length; first += LINES) {
      const texts = lines.slice(first, first + LINES);
      const {translations} = await ask<{translations: {text?: string; error?: {message: string}}[]}>(
        "translate",
        {...direction(), ...options(), texts, format: isHtml ? "html" : "text"},
        signal,
      );
      translations.forEach((each, place) => {
        if (each.error) throw new Failure(400, `Line ${first + place + 1} of ${file.name}: ${each.error.message}`);
        found.push(each.text ?? "");
      });
      update({
        busy: {
          ...state.busy,
          file: `Translating ${file.name}: ${Math.min(first + LINES, lines.length)} of ${lines.length} lines`,
        },
      });
    }
    const [, name, ending] = /^(.*?)(\.[^.]*)?$/.exec(file.name) as unknown as [string, string, string | undefined];
    saveText(
      `${name}.${model()?.target ?? "translated"}${ending ?? ".txt"}`,
      found.join("\n"),
      isHtml ? "text/html" : "text/plain",
    );
  });
}
