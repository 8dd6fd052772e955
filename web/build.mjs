// Bundle the page into the folder that ships with the package: a script, a style sheet, the licences of libraries.
import {build} from "esbuild";
import {readFileSync, readdirSync, writeFileSync} from "node:fs";
import {join} from "node:path";

const out = process.argv[2] ?? "../src/regard/inspection/drawing/web";
const result = await build({
  entryPoints: {page: "src/page.ts", style: "src/page.css"},
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2022",
  charset: "utf8",
  legalComments: "none",
  outdir: out,
  metafile: true,
  logLevel: "warning",
});

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
