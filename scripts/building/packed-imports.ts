import { basename, join } from "node:path";
import type { BunPlugin } from "bun";

const prefix = "packed:";

/** Folder of packed files below the root of the source. */
export const packedFolder = (root: string): string => join(root, ".cache/packed");

/**
 * Returns the line that imports a file of `packedFolder` as `name`. Generated modules are part of the source maps, so they name no folder
 * of the machine: `packedImports` knows where the file is.
 */
export const importPacked = (name: string, path: string): string =>
  `import ${name} from ${JSON.stringify(prefix + basename(path))} with { type: "file" };`;

/** Resolves the names that `importPacked` writes. */
export const packedImports = (root: string): BunPlugin => ({
  name: "packed-imports",
  setup(build) {
    build.onResolve({ filter: /^packed:/ }, ({ path }) => ({
      path: join(packedFolder(root), path.slice(prefix.length)),
    }));
  },
});
