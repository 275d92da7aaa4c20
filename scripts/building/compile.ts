import { readFileSync, renameSync, rmSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import type { Build, BunPlugin } from "bun";
import { embeddedConsole } from "./embedded-console.ts";
import { embeddedHandbook } from "./embedded-handbook.ts";
import { embeddedLance } from "./embedded-lance.ts";
import { embeddedLibraries } from "./embedded-libraries.ts";
import { embeddedLicenses } from "./embedded-licenses.ts";
import { embeddedOnnx } from "./embedded-onnx.ts";
import { embeddedWidget } from "./embedded-widget.ts";
import { ownTarget } from "./lance-package.ts";
import type { PackLevel } from "./pack-file.ts";
import { packedImports } from "./packed-imports.ts";
import type { PublishedSource } from "./release-source.ts";

/**
 * How many times later than usual code is compiled to machine code, until `endStartPolicy`: so much that a start compiles next to nothing,
 * which took a third of its processor time, and 11 MiB of resident memory.
 */
const startJitPolicy = 200;

export interface CompileOptions {
  outfile: string;
  /** Another system to build for; this one by default. */
  target?: Build.CompileTarget;
  /** The runtime of that system, if it is another one; otherwise Bun fetches it. */
  runtime?: string;
  /** The folder of LanceDB's addon for that system; the installed package by default. */
  addonFolder?: string;
  /** The source's commit for `argosy version`, or "" if unknown. */
  commit: string;
  /** Where the executable finds newer ones; undefined: nowhere. */
  published?: PublishedSource | undefined;
  /** Compression level of embedded files; `fast` by default. */
  level?: PackLevel;
}

export interface Compiled {
  /** Parts that are missing in the executable, with the reason. */
  missing: string[];
}

/**
 * Compiles `src/main.ts` of the working folder, and the workers it starts, into one executable. Builds are reproducible: nothing of the
 * time, the machine or the folder is included. Throws if something does not bundle.
 *
 * Modules that are loaded on first use are chunks of their own (`splitting`), so that a process does not read the bytecode of services and
 * features that it does not use: 8 MiB of resident memory for a daemon.
 *
 * Bytecode: an executable of Elysia and drizzle answered its first request after 15 ms instead of 47.
 */
export async function compile({
  outfile,
  target,
  runtime,
  addonFolder,
  commit,
  published,
  level = "fast",
}: CompileOptions): Promise<Compiled> {
  const folder = `${outfile}.building`; // Bun leaves source maps beside what it makes
  // Bun writes this name into the executable, so it must not depend on the file's own.
  const compiled = join(folder, outfile.endsWith(".exe") ? "argosy.exe" : "argosy");
  const source = join(process.cwd(), "src");
  const workers = findWorkers(source);
  const lance = await embeddedLance(process.cwd(), target ?? ownTarget(), level, addonFolder);
  const onnx = await embeddedOnnx(process.cwd(), level);
  const libraries = await embeddedLibraries(process.cwd(), level);
  const licenses = await embeddedLicenses(process.cwd(), target ?? ownTarget(), level, addonFolder);
  const handbook = await embeddedHandbook(process.cwd(), level);
  const console = await embeddedConsole(process.cwd());
  const widget = await embeddedWidget(process.cwd());
  await Bun.build({
    entrypoints: [join(source, "main.ts"), ...workers],
    root: source,
    target: "bun",
    format: "esm",
    bytecode: true,
    splitting: true,
    // Names and positions in stack traces cost 1 MiB and no time, so both stay.
    minify: { whitespace: true, syntax: true, identifiers: false },
    sourcemap: "inline",
    define: {
      "process.env.NODE_ENV": '"production"',
      BUILD_COMMIT: JSON.stringify(commit),
      BUILD_RELEASE: JSON.stringify({ target: (target ?? ownTarget()).replace("bun-", ""), ...published }),
      // CommonJS packages would include the folder of this build.
      __dirname: '"/"',
      __filename: '"/bundled.js"',
    },
    plugins: [
      packedImports(process.cwd()),
      lance.plugin,
      onnx,
      libraries,
      licenses,
      handbook,
      console,
      widget,
      embeddedWorkers(source, workers),
    ],
    compile: {
      outfile: compiled,
      ...(target ? { target } : {}),
      ...(runtime ? { executablePath: runtime } : {}),
      jitPolicy: startJitPolicy,
      // A stray .env or bunfig.toml in the start folder must not change the program's behaviour.
      autoloadDotenv: false,
      autoloadBunfig: false,
    },
  });
  renameSync(compiled, outfile);
  rmSync(folder, { recursive: true });
  return { missing: lance.missing === undefined ? [] : [lance.missing] };
}

/** The syntax by which source names a worker: `new Worker(new URL("./query-worker.ts", import.meta.url))`. */
const workerUrl = /new URL\("(\.{1,2}\/[^"]+\.ts)", import\.meta\.url\)/g;

/** Returns every file that some file of `source` starts as a worker. */
function findWorkers(source: string): string[] {
  const workers = new Set<string>();
  for (const name of new Bun.Glob("**/*.ts").scanSync({ cwd: source, absolute: true }))
    for (const [, path = ""] of readFileSync(name, "utf8").matchAll(workerUrl))
      workers.add(join(dirname(name), path));
  return [...workers].sort((a, b) => a.localeCompare(b));
}

/** Renames workers to their place in the executable: in a bundle, every module's `import.meta.url` is the bundle's own. */
function embeddedWorkers(source: string, workers: readonly string[]): BunPlugin {
  const embedded = (from: string, path: string) =>
    `new URL("./${relative(source, join(dirname(from), path)).replaceAll("\\", "/")}", import.meta.url)`;
  return {
    name: "embedded-workers",
    setup(build) {
      if (workers.length === 0) return;
      build.onLoad({ filter: /\/src\/.*\.ts$/ }, async ({ path }) => {
        const text = await Bun.file(path).text();
        return {
          contents: text.replace(workerUrl, (_, worker: string) => embedded(path, worker)),
          loader: "ts",
        };
      });
    },
  };
}
