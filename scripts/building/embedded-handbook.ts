import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { BunPlugin } from "bun";
import { handbookIn } from "../../src/services/daemon/handbook/handbook-pages.ts";
import { type PackLevel, packFile } from "./pack-file.ts";
import { importPacked, packedFolder } from "./packed-imports.ts";

const module = "src/services/daemon/handbook/handbook-pages.ts";

/** Replaces the reader of docs/ by the pages themselves, packed: 400 kB of Markdown take 110 kB. */
export async function embeddedHandbook(root: string, level: PackLevel): Promise<BunPlugin> {
  const place = join(root, module);
  // Before the build begins: the build does not see files created later in folders that it has already listed.
  const path = existsSync(place) ? await packedPages(root, level) : undefined;
  return {
    name: "embedded-handbook",
    setup(build) {
      if (path === undefined) return;
      build.onLoad({ filter: /\/daemon\/handbook\/handbook-pages\.ts$/ }, async ({ path: source }) => ({
        contents: withPages(await Bun.file(source).text(), path),
        loader: "ts",
      }));
    },
  };
}

async function packedPages(root: string, level: PackLevel): Promise<string> {
  const folder = join(root, ".cache/libraries");
  mkdirSync(folder, { recursive: true });
  const path = join(folder, "handbook.json");
  await Bun.write(path, JSON.stringify([...handbookIn(root)]));
  return (await packFile(path, level, packedFolder(root))).path;
}

const reader = 'return handbookIn(join(import.meta.dir, "../../../.."));';

function withPages(source: string, path: string): string {
  if (!source.includes(reader))
    throw new Error(`${module} has changed: see how scripts/building/embedded-handbook.ts replaces it.`);
  return `${importPacked("packed", path)}\n${source.replace(
    reader,
    "return new Map(JSON.parse(new TextDecoder().decode(Bun.zstdDecompressSync(await Bun.file(packed).bytes()))));",
  )}`;
}
