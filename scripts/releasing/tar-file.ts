import { createReadStream, createWriteStream, statSync } from "node:fs";
import { pipeline } from "node:stream/promises";
import { constants, createGzip } from "node:zlib";
import { pack } from "tar-stream";

/** A file of an archive; its path begins at the archive's root. */
export interface Member {
  path: string;
  mode: number;
  content: Uint8Array | { file: string };
}

/** Writes a tar file compressed with gzip. */
export async function writeTarGz(path: string, members: readonly Member[], mtime: number): Promise<void> {
  const tar = pack();
  const written = pipeline(tar, createGzip({ level: constants.Z_BEST_COMPRESSION }), createWriteStream(path));
  for (const folder of foldersOf(members))
    tar.entry({ name: `./${folder}/`, type: "directory", mode: 0o755, mtime: new Date(mtime * 1000) });
  for (const member of members) await addFile(tar, member, mtime);
  tar.finalize();
  await written;
}

/** Returns a tar file. */
export async function tarBytes(members: readonly Member[], mtime: number): Promise<Buffer> {
  const tar = pack();
  const bytes = new Response(tar as never).arrayBuffer();
  for (const member of members) await addFile(tar, member, mtime);
  tar.finalize();
  return Buffer.from(await bytes);
}

async function addFile(
  tar: ReturnType<typeof pack>,
  { path, mode, content }: Member,
  mtime: number,
): Promise<void> {
  const header = { name: `./${path}`, mode, size: sizeOf(content), mtime: new Date(mtime * 1000) };
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const entry = tar.entry(header, (fault) => (fault == null ? resolve() : reject(fault)));
  if ("file" in content) await pipeline(createReadStream(content.file), entry);
  else entry.end(Buffer.from(content));
  await promise;
}

function foldersOf(members: readonly Member[]): string[] {
  const folders = members.flatMap(({ path }) => {
    const parts = path.split("/").slice(0, -1);
    return parts.map((_, index) => parts.slice(0, index + 1).join("/"));
  });
  return [...new Set(folders)].sort();
}

export const sizeOf = (content: Member["content"]): number =>
  "file" in content ? statSync(content.file).size : content.byteLength;
