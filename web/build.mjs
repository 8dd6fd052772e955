// Bundle the page into the folder that ships with the package: a script, a style sheet, the licences of libraries.
// Bundle the widgets of the guide into the folder from which the site takes them.
import {build} from "esbuild";
import {readFileSync, readdirSync, writeFileSync} from "node:fs";
import {join} from "node:path";

const out = process.argv[2] ?? "../src/regard/inspection/drawing/web";
const guide = process.argv[2] ?? "../docs/reference";
const options = {
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2022",
  charset: "utf8",
  legalComments: "none",
  metafile: true,
  logLevel: "warning",
};
const result = await build({...options, entryPoints: {page: "src/page.ts", style: "src/page.css"}, outdir: out});
await build({...options, entryPoints: {widgets: "src/widgets/widgets.ts"}, outdir: guide});

const used = new Set(
  Object.keys(result.metafile.inputs)
    .map(path => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1])
    .filter(name => name !== undefined),
);
const notices = [...used].sort().map(name => {
  const folder = join("node_modules", name);
  const {version} = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const licence = readdirSync(folder).find(file => /^licen[cs]e/i.test(file));
  return `${name} ${version}\n\n${readFileSync(join(folder, licence), "utf8").trim()}\n`;
});
writeFileSync(join(out, "LICENCES.txt"), notices.join("\n---\n\n"));
