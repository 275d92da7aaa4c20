import { createReadStream } from "node:fs";
import { mkdir, open } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createZstdCompress, createZstdDecompress } from "node:zlib";
import { extract, type Pack, pack } from "tar-stream";
import { AppError } from "../../kit/app-error.ts";

/*
 * A backup is a tar file compressed with zstd, so that `tar --zstd -xf` and `sha256sum -c SHA256SUMS` can read it without Argosy:
 *
 *   backup.json   facts about the backup
 *   data/…        the files of the data folder; databases without a log
 *   SHA256SUMS    the sum of every file before it; a backup that was cut off lacks it
 */

export const aboutEntry = "backup.json";
export const sumsEntry = "SHA256SUMS";
export const dataPrefix = "data/";

/** A file on disk that goes into the archive. */
export interface ArchivedFile {
  /** Path in the archive. */
  name: string;
  /** Path on disk. */
  source: string;
  /** Bytes to take, from the beginning; the file may be longer. */
  sizeBytes: number;
  mode: number;
}

/** Writes the archive to `output` and ends it. `onFile` is called after each file. */
export async function writeArchive(
  about: unknown,
  files: readonly ArchivedFile[],
  output: Writable,
  { signal, onFile }: { signal: AbortSignal; onFile?: (file: ArchivedFile) => void },
): Promise<void> {
  const tar = pack();
  const written = pipeline(tar, createZstdCompress(), output, { signal });
  // `pipeline` rejects while the loop below waits for the stream; the loop then ends by the destroyed stream.
  written.catch(() => undefined);
  try {
    const sums = new Map<string, string>();
    const text = (name: string, content: string) => {
      sums.set(name, new Bun.CryptoHasher("sha256").update(content).digest("hex"));
      tar.entry({ name, mode: 0o600 }, content);
    };
    text(aboutEntry, `${JSON.stringify(about, null, 2)}\n`);
    for (const file of files) {
      sums.set(file.name, await writeFile(tar, file, signal));
      onFile?.(file);
    }
    text(sumsEntry, [...sums].map(([name, sum]) => `${sum}  ${name}\n`).join(""));
    tar.finalize();
  } catch (thrown) {
    tar.destroy();
    // The reason why the output failed says more than that the stream is closed.
    await written;
    throw thrown;
  }
  await written;
}

async function writeFile(
  tar: Pack,
  { name, source, sizeBytes, mode }: ArchivedFile,
  signal: AbortSignal,
): Promise<string> {
  const hash = new Bun.CryptoHasher("sha256");
  const entry = tar.entry({ name, size: sizeBytes, mode });
  const content: AsyncIterable<Uint8Array> | [] =
    sizeBytes === 0 ? [] : createReadStream(source, { end: sizeBytes - 1 });
  const hashed = async function* () {
    for await (const chunk of content) {
      hash.update(chunk);
      yield chunk;
    }
  };
  await pipeline(hashed, entry as unknown as Writable, { signal });
  return hash.digest("hex");
}

/** Facts read from an archive. */
export interface ReadArchive {
  about: unknown;
  /** Files of the archive below `data/`, as they are named below the data folder. */
  files: string[];
}

/**
 * Unpacks an archive's data into `folder` and compares every file with its sum. Throws AppError `backup_damaged` if it is not a complete backup;
 * what was unpacked until then stays in the folder.
 */
export async function readArchive(
  input: Readable,
  folder: string,
  { signal, onFile }: { signal: AbortSignal; onFile?: (name: string) => void },
): Promise<ReadArchive> {
  const sums = new Map<string, string>();
  const texts = new Map<string, string>();
  const files: string[] = [];
  const tar = extract();
  const unzipped = pipeline(input, createZstdDecompress(), tar, { signal });
  unzipped.catch(() => undefined);
  try {
    for await (const entry of tar) {
      const { name, type, size = 0, mode = 0o600 } = entry.header;
      if (sums.has(name)) throw damaged(`it has ${name} twice`);
      if (type !== "file") throw damaged(`${name} is not a file`);
      if (name === aboutEntry || name === sumsEntry) {
        if (size > textMaxBytes) throw damaged(`${name} is too long`);
        const bytes = Buffer.concat(await Array.fromAsync(entry as AsyncIterable<Uint8Array>));
        texts.set(name, bytes.toString());
        if (name === aboutEntry) sums.set(name, sumOf(bytes));
        continue;
      }
      const path = pathBelow(name);
      sums.set(name, await unpackFile(entry as AsyncIterable<Uint8Array>, join(folder, path), mode & 0o700));
      files.push(path);
      onFile?.(path);
    }
    await unzipped;
  } catch (thrown) {
    tar.destroy();
    if (signal.aborted || thrown instanceof AppError || isOfDisk(thrown)) throw thrown;
    throw damaged("it can't be unpacked", thrown);
  }
  compareSums(sums, texts.get(sumsEntry));
  return { about: parsed(texts.get(aboutEntry)), files };
}

/** Enough for the sums of 400,000 files. */
const textMaxBytes = 64 * 1024 * 1024;

/** Returns the path below the data folder. Refuses names that would lead out of it. */
function pathBelow(name: string): string {
  const path = name.startsWith(dataPrefix) ? name.slice(dataPrefix.length) : "";
  if (isArchivable(path)) return path;
  throw damaged(`it has an entry ${JSON.stringify(name)}, which no backup has`);
}

/**
 * Returns true if an archive can have a file of this path. Others lead out of the folder on some system, break the lines of the sums, or
 * have bytes that are not UTF-8, which reading the folder replaced.
 */
export function isArchivable(path: string): boolean {
  if (/[\0\r\n\ufffd]/.test(path)) return false;
  if (process.platform === "win32" && path.includes("\\")) return false;
  return path.split(/[\\/]/).every((part) => part !== "" && part !== "." && part !== "..");
}

async function unpackFile(content: AsyncIterable<Uint8Array>, target: string, mode: number): Promise<string> {
  await mkdir(dirname(target), { recursive: true, mode: 0o700 });
  const hash = new Bun.CryptoHasher("sha256");
  // `wx` refuses to write through anything that is already there.
  const file = await open(target, "wx", mode | 0o600);
  try {
    for await (const chunk of content) {
      hash.update(chunk);
      await file.writeFile(chunk);
    }
    await file.sync();
  } finally {
    await file.close();
  }
  return hash.digest("hex");
}

function compareSums(sums: ReadonlyMap<string, string>, listed: string | undefined): void {
  if (listed === undefined) throw damaged("it ends early: its list of sums is missing");
  const expected = new Map(
    listed
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => [line.slice(66), line.slice(0, 64)] as const),
  );
  for (const [name, sum] of expected) {
    if (!sums.has(name)) throw damaged(`${name} is missing`);
    if (sums.get(name) !== sum) throw damaged(`${name} doesn't have the content that was backed up`);
  }
  for (const name of sums.keys()) if (!expected.has(name)) throw damaged(`${name} has no sum`);
}

function parsed(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? "");
  } catch (cause) {
    throw damaged(`its ${aboutEntry} is missing or no JSON`, cause);
  }
}

const sumOf = (bytes: Uint8Array): string => new Bun.CryptoHasher("sha256").update(bytes).digest("hex");

const isOfDisk = (thrown: unknown): boolean =>
  thrown instanceof Error &&
  "syscall" in thrown &&
  ["ENOSPC", "EACCES", "EROFS", "EDQUOT", "EIO", "EMFILE"].includes(
    String((thrown as { code?: unknown }).code),
  );

const damaged = (reason: string, cause?: unknown): AppError =>
  new AppError("invalid", "backup_damaged", `This is not a complete backup of Argosy: ${reason}.`, {
    ...(cause === undefined ? {} : { cause }),
    details: { hint: "Nothing was changed. Use another backup." },
  });
