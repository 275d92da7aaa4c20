import { join } from "node:path";
import type { BunPlugin } from "bun";
import { installedAddon } from "./lance-package.ts";
import { type PackLevel, packFile } from "./pack-file.ts";

export interface EmbeddedLance {
  plugin: BunPlugin;
  /** What the executable is built without, and why; undefined: it has all. */
  missing?: string;
}

/** What LanceDB's package names and an executable doesn't need: embedders of its own, and the addon under its package's name. */
export const lanceExternals = ["openai", "@huggingface/transformers", "@lancedb/lancedb-*"];

/**
 * Puts LanceDB's addon for `target`, packed, in the place of `packed-addon.ts`. Where its package isn't installed the executable
 * is built without it and says so when vectors are first used.
 */
export async function embeddedLance(root: string, target: string, level: PackLevel): Promise<EmbeddedLance> {
  const addon = installedAddon(root, target);
  if (addon === undefined)
    return {
      plugin: replacing(root, { kind: "absent", target }),
      missing: `LanceDB: the package of its addon for ${target} is not installed`,
    };
  const { path, sizeBytes, sha256 } = await packFile(addon, level, join(root, ".cache/packed"));
  return { plugin: replacing(root, { kind: "packed", sizeBytes, sha256 }, path) };
}

/** The module with another value; `file` is embedded as it is and named by it. */
function replacing(root: string, value: Record<string, unknown>, file?: string): BunPlugin {
  const fields = JSON.stringify(value).slice(1, -1);
  const contents =
    file === undefined
      ? `export const lanceAddon = { ${fields} };`
      : `import file from ${JSON.stringify(file)} with { type: "file" };\nexport const lanceAddon = { file, ${fields} };`;
  return {
    name: "embedded-lance",
    setup(build) {
      // LanceDB requires Arrow and we import it, which would be two copies.
      build.onResolve({ filter: /^apache-arrow$/ }, () => ({
        path: Bun.resolveSync("apache-arrow/Arrow.node.js", root),
      }));
      build.onLoad({ filter: /\/lancedb\/native\/packed-addon\.ts$/ }, () => ({ contents, loader: "ts" }));
      build.onLoad({ filter: /\/@lancedb\/lancedb\/dist\/native\.js$/ }, async ({ path }) => ({
        contents: loadingUnpacked(await Bun.file(path).text()),
        loader: "js",
      }));
    },
  };
}

const loaderBegin = "function requireNative() {";
const unpackedModule = join(import.meta.dir, "../../src/retrieval/stores/lancedb/native/unpacked-addon.ts");

/** LanceDB's own loader, which looks through packages that an executable doesn't have, made to take what was unpacked. */
function loadingUnpacked(loader: string): string {
  if (!loader.includes(loaderBegin))
    throw new Error("LanceDB's loader has changed: see how scripts/building/embedded-lance.ts replaces it.");
  const taking = `return require(require(${JSON.stringify(unpackedModule)}).unpackedAddon.path);`;
  return loader.replace(loaderBegin, `${loaderBegin}\n  ${taking}`);
}
