import { existsSync } from "node:fs";
import { join } from "node:path";

/** Files of the text recognition: Tesseract compiled to WebAssembly, and what it knows of languages. */
export interface RecognitionFiles {
  core: string;
  languages: readonly { name: string; path: string }[];
}

const corePackage = "tesseract.js-core";
const languagePackage = (name: string) => `@tesseract.js-data/${name}`;

/**
 * Finds the packages for these languages in the first folder that has them all. Otherwise returns the packages that are missing in the last
 * one, where they belong.
 */
export function findRecognition(
  languages: readonly string[],
  folders: readonly string[],
): RecognitionFiles | { missing: readonly string[] } {
  let missing: string[] = [];
  for (const folder of folders) {
    const inside = (name: string) => join(folder, "node_modules", name);
    const names = [corePackage, ...languages.map(languagePackage)];
    missing = names.filter((name) => !existsSync(inside(name)));
    if (missing.length > 0) continue;
    return {
      core: join(inside(corePackage), "tesseract-core-simd-lstm"),
      languages: languages.map((name) => ({
        name,
        path: join(inside(languagePackage(name)), "4.0.0_best_int", `${name}.traineddata.gz`),
      })),
    };
  }
  return { missing };
}
