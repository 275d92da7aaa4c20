import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { BunPlugin } from "bun";
import { type PackLevel, packFile } from "./pack-file.ts";
import { importPacked, packedFolder } from "./packed-imports.ts";

const loaders = { loadUnpdf: "unpdf" } as const;

const module = "src/retrieval/files/document-libraries.ts";

/** Replaces `document-libraries.ts` by the libraries for documents, each bundled and packed. */
export async function embeddedLibraries(root: string, level: PackLevel): Promise<BunPlugin> {
  // Before the build begins: a nested build never ends.
  const contents = existsSync(join(root, module)) ? await loadingPacked(root, level) : undefined;
  return {
    name: "embedded-libraries",
    setup(build) {
      if (contents === undefined) return;
      build.onLoad({ filter: /\/retrieval\/files\/document-libraries\.ts$/ }, () => ({
        contents,
        loader: "js",
      }));
    },
  };
}

async function loadingPacked(root: string, level: PackLevel): Promise<string> {
  const parts = await Promise.all(
    Object.entries(loaders).map(async ([loader, library]) => {
      const packed = await packLibrary(root, library, level);
      return `${importPacked(library, packed)}
export const ${loader} = () => load(${library});`;
    }),
  );
  return `${parts.join("\n")}
async function load(file) {
  const code = Bun.zstdDecompressSync(await Bun.file(file).bytes());
  const url = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
  try {
    const library = await import(url);
    return library.default ?? library;
  } finally {
    URL.revokeObjectURL(url);
  }
}`;
}

async function packLibrary(root: string, library: string, level: PackLevel): Promise<string> {
  const folder = join(root, ".cache/libraries");
  mkdirSync(folder, { recursive: true });
  const built = await Bun.build({
    entrypoints: [Bun.resolveSync(library, root)],
    target: "bun",
    format: "esm",
    minify: true,
    // CommonJS packages would include the folder of this build.
    define: { "process.env.NODE_ENV": '"production"', __dirname: '"/"', __filename: '"/bundled.js"' },
  });
  const [bundle, ...others] = built.outputs;
  if (bundle === undefined || others.length > 0) throw new Error(`${library} does not bundle into one file.`);
  const path = join(folder, `${library}.mjs`);
  await Bun.write(path, bundle);
  return (await packFile(path, level, packedFolder(root))).path;
}
