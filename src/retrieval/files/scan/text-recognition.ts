import { join } from "node:path";
import { AppError, toAppError } from "../../../kit/app-error.ts";
import type { NpmPackage, NpmPackages } from "../../../kit/packages/npm-packages.ts";

/** Files of the text recognition: Tesseract compiled to WebAssembly, and what it knows of languages. */
export interface RecognitionFiles {
  core: string;
  languages: readonly { name: string; path: string }[];
}

/** The text recognition, an optional part that is installed when a pipeline first needs it. */
export interface TextRecognition {
  /** Returns the files for these languages if all are installed. */
  find(languages: readonly string[]): Promise<RecognitionFiles | undefined>;
  /** Returns the files, and installs them first. Throws AppError `package_unavailable`. */
  install(languages: readonly string[], signal: AbortSignal): Promise<RecognitionFiles>;
}

const core = "tesseract-core-simd-lstm";

const corePackage: NpmPackage = {
  name: "tesseract.js-core",
  version: "7.0.0",
  files: [
    { path: `${core}.js`, sha256: "e48e2f02ddae3716c8dd24bf41cd290d4efa96892d689cdc4013c2545d63f469" },
    { path: `${core}.wasm`, sha256: "34e8d50cac216427d86bf397d610fdd9f49492539bbcdfbfccc4eda20c810bea" },
  ],
};

const dataFile = (language: string) => `4.0.0_best_int/${language}.traineddata.gz`;

const languagePackage = (language: string): NpmPackage => ({
  name: `@tesseract.js-data/${language}`,
  version: "1.0.0",
  files: [{ path: dataFile(language) }],
});

export function createTextRecognition(packages: NpmPackages): TextRecognition {
  const filesOf = async <Found extends string | undefined>(
    languages: readonly string[],
    folderOf: (wanted: NpmPackage) => Promise<Found>,
  ) => {
    const [program, ...data] = await Promise.all(
      [corePackage, ...languages.map(languagePackage)].map(folderOf),
    );
    if (program === undefined) return undefined;
    const named: { name: string; path: string }[] = [];
    for (const [at, name] of languages.entries()) {
      const folder = data[at];
      if (folder === undefined) return undefined;
      named.push({ name, path: join(folder, dataFile(name)) });
    }
    return { core: join(program, core), languages: named };
  };
  return {
    find: (languages) => filesOf(languages, packages.find),
    async install(languages, signal) {
      const files = await filesOf(languages, (wanted) => packages.install(wanted, signal)).catch((thrown) => {
        signal.throwIfAborted();
        const { kind, code, message } = toAppError(thrown);
        const command = packages.command([corePackage, ...languages.map(languagePackage)]);
        throw new AppError(kind, code, message, {
          details: { hint: `Connect this machine to registry.npmjs.org, or run: ${command}` },
          cause: thrown,
        });
      });
      if (files === undefined) throw new Error("An installed package has no folder.");
      return files;
    },
  };
}
