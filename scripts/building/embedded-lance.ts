import { existsSync, mkdirSync } from "node:fs";
import { basename, join } from "node:path";
import type { BunPlugin } from "bun";
import { addonIn, installedAddon } from "./lance-package.ts";
import { type PackLevel, packFile } from "./pack-file.ts";
import { importPacked, packedFolder } from "./packed-imports.ts";
import { strippedLibrary } from "./strip-elf.ts";

export interface EmbeddedLance {
  plugin: BunPlugin;
  /** The missing part of the executable, with the reason; undefined if it is complete. */
  missing?: string;
}

/**
 * Embeds LanceDB into the executable, packed: its addon for `target` replaces `packed-addon.ts`, and its JavaScript and Arrow's replace
 * `lance-library.ts`, where they would take 5 MB as bytecode that most daemons never run. If the addon's package is not installed, the
 * executable is built without it and reports that when vectors are first used.
 */
export async function embeddedLance(
  root: string,
  target: string,
  level: PackLevel,
  addonFolder?: string,
): Promise<EmbeddedLance> {
  const library = existsSync(join(root, "node_modules/@lancedb/lancedb"))
    ? packedLibrary(await packLibrary(root, level))
    : undefined;
  const addon = addonFolder === undefined ? installedAddon(root, target) : addonIn(addonFolder);
  if (addon === undefined)
    return {
      plugin: replacing({
        addon: `export const lanceAddon = ${JSON.stringify({ kind: "absent", target })};`,
        library,
      }),
      missing: `LanceDB: the package of its addon for ${target} is not installed`,
    };
  const { path, sizeBytes, sha256 } = await packFile(await stripped(root, addon), level, packedFolder(root));
  const facts = JSON.stringify({ sizeBytes, sha256 });
  return {
    plugin: replacing({
      addon: `${importPacked("file", path)}
export const lanceAddon = { kind: "packed", file, ...${facts} };`,
      library,
    }),
  };
}

/** Returns the file of the addon without symbols, which nobody's debugger reads here. */
async function stripped(root: string, addon: string): Promise<string> {
  const path = join(libraryFolder(root), basename(addon));
  await Bun.write(path, strippedLibrary(addon));
  return path;
}

function libraryFolder(root: string): string {
  const folder = join(root, ".cache/libraries");
  mkdirSync(folder, { recursive: true });
  return folder;
}

/** Replaces the contents of the modules. */
function replacing({ addon, library }: { addon: string; library: string | undefined }): BunPlugin {
  return {
    name: "embedded-lance",
    setup(build) {
      build.onLoad({ filter: /\/lancedb\/native\/packed-addon\.ts$/ }, () => ({
        contents: addon,
        loader: "js",
      }));
      if (library === undefined) return;
      build.onLoad({ filter: /\/lancedb\/native\/lance-library\.ts$/ }, () => ({
        contents: library,
        loader: "js",
      }));
    },
  };
}

function packedLibrary(path: string): string {
  return `${importPacked("file", path)}
export async function importLance(addonPath) {
  const code = Bun.zstdDecompressSync(await Bun.file(file).bytes());
  const url = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
  try {
    const { load } = await import(url);
    return await load(addonPath);
  } finally {
    URL.revokeObjectURL(url);
  }
}`;
}

const entry = "argosy:lance";
const addonModule = "argosy:lance-addon";

/** Bundles LanceDB's and Arrow's JavaScript into one file, whose `load` takes the addon's path. */
async function packLibrary(root: string, level: PackLevel): Promise<string> {
  const built = await Bun.build({
    entrypoints: [entry],
    target: "bun",
    format: "esm",
    minify: true,
    // LanceDB's own embedders, and the packages of its addon.
    external: ["openai", "@huggingface/transformers", "@lancedb/lancedb-*"],
    // CommonJS packages would include the folder of this build.
    define: { "process.env.NODE_ENV": '"production"', __dirname: '"/"', __filename: '"/bundled.js"' },
    plugins: [libraryModules(root)],
  });
  const [bundle, ...others] = built.outputs;
  if (bundle === undefined || others.length > 0) throw new Error("LanceDB does not bundle into one file.");
  const path = join(libraryFolder(root), "lancedb.mjs");
  await Bun.write(path, bundle);
  return (await packFile(path, level, packedFolder(root))).path;
}

function libraryModules(root: string): BunPlugin {
  const own: Readonly<Record<string, string>> = {
    [addonModule]: "export const addon = { path: undefined };",
    [entry]: `import { addon } from ${JSON.stringify(addonModule)};
export async function load(path) {
  addon.path = path;
  return { lance: await import("@lancedb/lancedb"), arrow: await import("apache-arrow") };
}`,
  };
  return {
    name: "lance-library",
    setup(build) {
      build.onResolve({ filter: /^argosy:/ }, ({ path }) => ({ path, namespace: "argosy" }));
      build.onLoad({ filter: /./, namespace: "argosy" }, ({ path }) => ({
        contents: own[path] ?? "",
        loader: "js",
      }));
      build.onResolve({ filter: /^@lancedb\/lancedb$/ }, () => ({
        path: Bun.resolveSync("@lancedb/lancedb", root),
      }));
      // LanceDB requires it and we import it, which would produce two copies.
      build.onResolve({ filter: /^apache-arrow$/ }, () => ({
        path: Bun.resolveSync("apache-arrow/Arrow.node.js", root),
      }));
      build.onLoad({ filter: /\/@lancedb\/lancedb\/dist\/native\.js$/ }, async ({ path }) => ({
        contents: loadingUnpacked(await Bun.file(path).text()),
        loader: "js",
      }));
    },
  };
}

const loaderBegin = "function requireNative() {";

/** Changes LanceDB's own loader, which searches packages that an executable does not have, to use the unpacked addon. */
function loadingUnpacked(loader: string): string {
  if (!loader.includes(loaderBegin))
    throw new Error("LanceDB's loader has changed: see how scripts/building/embedded-lance.ts replaces it.");
  const taking = `return require(require(${JSON.stringify(addonModule)}).addon.path);`;
  return loader.replace(loaderBegin, `${loaderBegin}\n  ${taking}`);
}
