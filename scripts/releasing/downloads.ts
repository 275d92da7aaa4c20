import { createReadStream, createWriteStream, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { constants, createZstdCompress } from "node:zlib";
import type { PackLevel } from "../building/pack-file.ts";

/** Writes `<file>.zst` beside an executable. The window is zstd's default for its level, so that `zstd -d` needs no option. */
export async function compressDownload(file: string, level: PackLevel): Promise<void> {
  const params = {
    [constants.ZSTD_c_compressionLevel]: level === "small" ? 19 : 9,
    [constants.ZSTD_c_checksumFlag]: 1,
  };
  await pipeline(
    createReadStream(file, { highWaterMark: 1024 * 1024 }),
    createZstdCompress({ params, pledgedSrcSize: statSync(file).size }),
    createWriteStream(`${file}.zst`),
  );
}

/** Writes SHA256SUMS over every file of a folder, for `sha256sum -c`. */
export async function writeSums(folder: string): Promise<void> {
  const names = readdirSync(folder)
    .filter((name) => name !== "SHA256SUMS")
    .sort();
  const lines: string[] = [];
  for (const name of names) {
    lines.push(`${await sha256Of(join(folder, name))}  ${name}\n`);
  }
  await Bun.write(join(folder, "SHA256SUMS"), lines.join(""));
}

/** Returns the checksum of a file. */
export async function sha256Of(file: string): Promise<string> {
  const hash = new Bun.CryptoHasher("sha256");
  for await (const chunk of createReadStream(file, { highWaterMark: 1024 * 1024 })) hash.update(chunk);
  return hash.digest("hex");
}
