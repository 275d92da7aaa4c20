import { createReadStream } from "node:fs";
import { access, chmod, constants, mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createZstdDecompress } from "node:zlib";
import { AppError } from "../../../../kit/app-error.ts";
import type { Logger } from "../../../../kit/log.ts";
import { codeOf, noexecFault, unpackFault } from "./lance-addon-error.ts";
import type { PackedAddon } from "./packed-addon.ts";
import { hasEnded, markPattern, processMark } from "./process-mark.ts";

/** Where the addon is, or will be, unpacked. */
export function unpackedPath(nativeFolder: string, { sha256 }: PackedAddon): string {
  return join(nativeFolder, `lancedb-${sha256}.node`);
}

/**
 * The path of the unpacked addon, unpacked first when it isn't there or isn't what was packed. Processes that do so at once don't
 * disturb each other. The whole file is hashed each time, once in a process that uses vectors: 0.1 s for 200 MB, and neither
 * damage nor an exchanged file is executed, which size and time of change would not show.
 * Throws AppError `vectors_unavailable` that says what stands in the way.
 */
export async function unpackAddon(addon: PackedAddon, nativeFolder: string, log: Logger): Promise<string> {
  const path = unpackedPath(nativeFolder, addon);
  try {
    const found = await intactness(path, addon);
    if (found !== "intact") {
      if (found === "damaged") log.warn("vectors.addon_damaged", { path });
      await unpack(addon, path);
    }
    await requireExecutable(path);
  } catch (thrown) {
    throw thrown instanceof AppError ? thrown : unpackFault(thrown, nativeFolder, addon.sizeBytes);
  }
  await sweep(nativeFolder, path);
  return path;
}

async function intactness(path: string, addon: PackedAddon): Promise<"intact" | "damaged" | "absent"> {
  try {
    const { size } = await stat(path);
    if (size !== addon.sizeBytes) return "damaged";
    const hash = new Bun.CryptoHasher("sha256");
    for await (const chunk of createReadStream(path, { highWaterMark: chunkBytes })) hash.update(chunk);
    return hash.digest("hex") === addon.sha256 ? "intact" : "damaged";
  } catch (thrown) {
    const code = codeOf(thrown);
    if (code === "ENOENT") return "absent";
    // It can't be read, so it can't be loaded: another in its place can.
    if (code === "EACCES" || code === "EISDIR") return "damaged";
    throw thrown;
  }
}

const chunkBytes = 1024 * 1024;

/** By streams: unpacked in one piece, it would take 390 MB of memory for a moment instead of a hundred. */
async function unpack(addon: PackedAddon, path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const temporary = `${path}.${processMark}.${crypto.randomUUID()}.tmp`;
  const file = await open(temporary, "wx", 0o500);
  try {
    await requireExecutable(temporary, path); // before 200 MB are written in vain
    const hash = new Bun.CryptoHasher("sha256");
    const unzipped = createZstdDecompress({ chunkSize: chunkBytes });
    // What lies in the executable is no file to node:fs.
    await pipeline(Bun.file(addon.file).stream(), unzipped, async (chunks) => {
      for await (const chunk of chunks) {
        hash.update(chunk);
        await writeAll(file, chunk);
      }
    });
    if (hash.digest("hex") !== addon.sha256) throw new Error("What was unpacked isn't what was packed.");
    await file.sync();
    await file.close();
    await takePlace(temporary, path);
  } catch (thrown) {
    await file.close().catch(() => undefined);
    await rm(temporary, { force: true }).catch(() => undefined);
    throw thrown;
  }
  const folder = await open(dirname(path), "r");
  await folder.sync().catch(() => undefined); // not every system can
  await folder.close();
}

/** Another process may be about to load what is there: it must be there all the time. */
async function takePlace(temporary: string, path: string): Promise<void> {
  try {
    await rename(temporary, path);
  } catch (thrown) {
    if (codeOf(thrown) !== "EISDIR") throw thrown;
    await rm(path, { recursive: true, force: true });
    await rename(temporary, path);
  }
}

async function writeAll(
  file: { write: (bytes: Uint8Array) => Promise<{ bytesWritten: number }> },
  bytes: Uint8Array,
) {
  for (let at = 0; at < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes.subarray(at));
    if (bytesWritten === 0)
      throw Object.assign(new Error("Nothing more could be written."), { code: "ENOSPC" });
    at += bytesWritten;
  }
}

/** The system itself says whether it would execute the file: not where it is mounted noexec, even for root. */
async function requireExecutable(file: string, path = file): Promise<void> {
  await chmod(file, 0o500).catch(() => undefined);
  await access(file, constants.X_OK).catch(() => {
    throw noexecFault(path);
  });
}

const addonName = /^lancedb-[0-9a-f]{64}\.node$/;
const unfinishedName = new RegExp(`^lancedb-[0-9a-f]{64}\\.node\\.(${markPattern})\\.[0-9a-f-]{36}\\.tmp$`);

/** Removes addons of other versions, and what processes left that ended while they unpacked. */
async function sweep(nativeFolder: string, path: string): Promise<void> {
  for (const name of await readdir(nativeFolder).catch(() => [])) {
    const [, mark] = unfinishedName.exec(name) ?? [];
    const isOther = addonName.test(name) && name !== basename(path);
    if (isOther || (mark !== undefined && hasEnded(mark)))
      await rm(join(nativeFolder, name), { force: true }).catch(() => undefined);
  }
}
