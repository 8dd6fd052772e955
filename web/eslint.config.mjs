// Recommended rules with types; the rest is Prettier's.
import js from "@eslint/js";
import {defineConfig} from "eslint/config";
import tseslint from "typescript-eslint";

export default defineConfig(
  {ignores: ["node_modules", "src/api.d.ts"]}, // `make web` writes it
  js.configs.recommended,
  {
    rules: {
      curly: ["error", "multi-line"],
      "max-len": ["error", 120], // Prettier does not break strings, comments and templates
      "one-var": ["error", "never"],
    },
  },
  {files: ["*.mjs"], languageOptions: {globals: {process: "readonly"}}},
  {
    files: ["src/**/*.ts"],
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: {parserOptions: {projectService: true}},
    rules: {"@typescript-eslint/restrict-template-expressions": ["error", {allowNumber: true}]},
  },
);
