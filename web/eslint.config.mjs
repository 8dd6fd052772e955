import js from "@eslint/js";
import {defineConfig} from "eslint/config";
import tseslint from "typescript-eslint";

export default defineConfig(
  {ignores: ["node_modules"]},
  js.configs.recommended,
  {
    files: ["src/**/*.ts"],
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: {parserOptions: {projectService: true}},
  },
  {rules: {"one-var": ["error", "never"], "max-len": ["error", {code: 120}]}},
);
