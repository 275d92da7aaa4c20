import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { parseArgs } from "node:util";
import type { BunPlugin } from "bun";
import type { Language } from "../../src/contracts/console/language.ts";

/** One file of the console as sent to browsers. */
export interface ConsoleFile {
  /** Path from the console's own root: `assets/main-3f2a9c1b.js`. */
  path: string;
  type: string;
  bytes: Uint8Array<ArrayBuffer>;
}

/** The console ready to serve; the page that loads it is generated for each request. */
export interface BuiltConsole {
  files: ConsoleFile[];
  style: string;
  /** For each language, the path of the entry script, and of the scripts that it imports at start. */
  starts: Record<Language, { script: string; preload: string[] }>;
}

const types: Readonly<Record<string, string>> = {
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
};

/** Mantine's own rules come first and lose to ours, whatever their selectors. */
const styles = [
  "node_modules/@mantine/notifications/styles.layer.css",
  "node_modules/@mantine/spotlight/styles.layer.css",
  "node_modules/@mantine/charts/styles.layer.css",
];

/** Bundles `src/console` for browsers, once for each language. The build is reproducible. */
export async function buildConsole(root: string): Promise<BuiltConsole> {
  const [english, spanish] = await Promise.all([buildIn("en", root), buildIn("es", root)]);
  const style = styleFile(root, usedComponents(english.inputs));
  // Chunks without texts are the same in both languages, and so are their paths.
  const files = new Map([...english.files, ...spanish.files, style].map((file) => [file.path, file]));
  return {
    files: [...files.values()],
    style: style.path,
    starts: { en: english.start, es: spanish.start },
  };
}

async function buildIn(language: Language, root: string) {
  const built = await Bun.build({
    entrypoints: [join(root, "src/console/main.tsx")],
    root: join(root, "src/console"),
    target: "browser",
    format: "esm",
    splitting: true,
    minify: true,
    naming: { entry: "assets/[name]-[hash].[ext]", chunk: "assets/[name]-[hash].[ext]" },
    define: { "process.env.NODE_ENV": '"production"' },
    metafile: true,
    plugins: language === "en" ? [] : [textsIn(language, join(root, "src/console/texts"))],
  });
  const files = await Promise.all(
    built.outputs.map(async (output) => ({
      path: output.path.replace(/^\.?\//, ""),
      type: typeOf(output.path),
      bytes: new Uint8Array(await output.arrayBuffer()),
      isEntry: output.kind === "entry-point",
    })),
  );
  const entry = files.find(({ isEntry }) => isEntry);
  if (entry === undefined) throw new Error("The console was built without a script to start it.");
  return {
    files: files.map(({ path, type, bytes }): ConsoleFile => ({ path, type, bytes })),
    start: { script: entry.path, preload: importedBy(new TextDecoder().decode(entry.bytes)) },
    inputs: Object.keys(built.metafile?.inputs ?? {}),
  };
}

/** Replaces each file of English texts by the one with its path in the language's folder, so that browsers load the texts of one language. */
function textsIn(language: Language, folder: string): BunPlugin {
  const own = join(folder, language);
  return {
    name: `texts-in-${language}`,
    setup(build) {
      build.onResolve({ filter: /^\.{1,2}\/.*\.ts$/ }, ({ path, importer }) => {
        const inFolder = relative(folder, join(dirname(importer), path));
        const isEnglish = !inFolder.startsWith("..") && !importer.startsWith(own);
        const translated = join(own, inFolder);
        return isEnglish && existsSync(translated) ? { path: translated } : undefined;
      });
    },
  };
}

function typeOf(path: string): string {
  const type = types[path.slice(path.lastIndexOf(".") + 1)];
  if (type === undefined) throw new Error(`The console may not have the file ${path}.`);
  return type;
}

/** Returns the components of Mantine in the bundle, by the files of their class names. */
function usedComponents(inputs: readonly string[]): Set<string> {
  const names = inputs.map((path) => /@mantine\/core\/.*\/(\w+)\.module\.mjs$/.exec(path)?.[1] ?? "");
  return new Set(names.filter((name) => name !== ""));
}

/** Returns the rules of those components and the global rules, in the order of Mantine's complete sheet. */
function componentStyles(root: string, used: ReadonlySet<string>): string[] {
  const folder = join(root, "node_modules/@mantine/core");
  const everything = readFileSync(join(folder, "styles.layer.css"), "utf8");
  const sheets = [...new Bun.Glob("*.layer.css").scanSync({ cwd: join(folder, "styles") })].map((file) => {
    const name = file.replace(".layer.css", "");
    const text = readFileSync(join(folder, "styles", file), "utf8");
    const rules = text.slice(text.indexOf("{") + 1, text.lastIndexOf("}")).trim();
    const at = everything.indexOf(rules.slice(0, 60));
    return { name, text, at };
  });
  return sheets
    .filter(({ name }) => used.has(name) || !/^[A-Z]/.test(name))
    .sort((a, b) => a.at - b.at)
    .map(({ text }) => text);
}

function styleFile(root: string, used: ReadonlySet<string>): ConsoleFile {
  const own = [...new Bun.Glob("**/*.css").scanSync({ cwd: join(root, "src/console") })].sort();
  const text = [
    "@layer mantine, app;",
    ...componentStyles(root, used),
    ...styles.map((path) => readFileSync(join(root, path), "utf8")),
    ...own.map((path) => `@layer app {\n${readFileSync(join(root, "src/console", path), "utf8")}}`),
  ].join("\n");
  const bytes = new TextEncoder().encode(text);
  const hash = new Bun.CryptoHasher("sha256").update(bytes).digest("hex").slice(0, 8);
  return { path: `assets/style-${hash}.css`, type: typeOf(".css"), bytes };
}

/** Returns the chunks that a minified script imports at start; chunks that it loads later are in `import(…)`. */
function importedBy(script: string): string[] {
  const found = [...script.matchAll(/(?:from|import)\s*"\.\/([\w-]+\.js)"/g)].map(
    ([, name]) => `assets/${name}`,
  );
  return [...new Set(found)];
}

/** `bun scripts/building/console.ts --out <folder>` writes the files, and `console.json` with the role of each. */
if (import.meta.main) {
  const { values } = parseArgs({ options: { out: { type: "string" } } });
  if (values.out === undefined) throw new Error("Say where to: --out <folder>.");
  const { files, ...parts } = await buildConsole(join(import.meta.dir, "../.."));
  mkdirSync(join(values.out, "assets"), { recursive: true });
  for (const { path, bytes } of files) await Bun.write(join(values.out, path), bytes);
  const list = files.map(({ path, type }) => ({ path, type }));
  await Bun.write(join(values.out, "console.json"), JSON.stringify({ files: list, ...parts }, null, 2));
}
