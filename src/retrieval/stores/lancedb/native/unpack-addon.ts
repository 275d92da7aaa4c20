import { createReadStream } from "node:fs";
import {
  access,
  chmod,
  constants,
  mkdir,
  open,
  readdir,
  rename,
  rm,
  rmdir,
  stat,
  utimes,
} from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createZstdDecompress } from "node:zlib";
import { AppError } from "../../../../kit/app-error.ts";
import { type Clock, systemClock } from "../../../../kit/clock.ts";
import type { Logger } from "../../../../kit/log.ts";
import { requireOwnFolder } from "../../../../kit/packages/own-folder.ts";
import type { AddonFolder } from "./addon-folders.ts";
import { codeOf, noexecFault, unpackFault } from "./lance-addon-error.ts";
import type { PackedAddon } from "./packed-addon.ts";
import { hasEnded, markPattern, processMark } from "./process-mark.ts";

/** Time after which an addon of another version in a shared folder counts as unused. */
const unusedMs = 30 * 24 * 3600 * 1000;

/** Path of the unpacked addon. */
export function unpackedPath(nativeFolder: string, { sha256 }: PackedAddon): string {
  return join(nativeFolder, `lancedb-${sha256}.node`);
}

/**
 * Returns the path of the addon, and unpacks it first if it is missing or damaged. Concurrent processes don't interfere. The whole file is
 * hashed once per process that uses vectors: 0.1 s for 200 MB. So a damaged or exchanged file is never executed, which size and
 * modification time would not reveal. Throws AppError `vectors_unavailable` with the reason.
 */
export async function unpackAddon(addon: PackedAddon, nativeFolder: string, log: Logger): Promise<string> {
  const path = await ready(addon, nativeFolder, log);
  await sweep(nativeFolder, path);
  return path;
}

/**
 * Like `unpackAddon`, in the first of these folders that takes it. Copies in later ones are removed. Of a folder that other workspaces use
 * too, addons of other versions are removed when nothing has loaded them for 30 days. Throws the reason of the last folder if none takes it.
 */
export async function unpackOnce(
  addon: PackedAddon,
  folders: readonly AddonFolder[],
  log: Logger,
  clock: Clock = systemClock,
): Promise<string> {
  for (const [at, folder] of folders.entries()) {
    const isLast = at === folders.length - 1;
    try {
      if (!folder.isShared) return await unpackAddon(addon, folder.path, log);
      await mkdir(folder.path, { recursive: true, mode: 0o700 });
      await requireOwnFolder(folder.path);
      const path = await ready(addon, folder.path, log);
      const now = clock.now();
      await utimes(path, now, now).catch(() => undefined);
      await sweep(folder.path, path, now.getTime() - unusedMs);
      for (const other of folders.slice(at + 1)) await clear(other.path);
      return path;
    } catch (thrown) {
      if (isLast) throw thrown;
      const fault = thrown instanceof AppError ? thrown : unpackFault(thrown, folder.path, addon.sizeBytes);
      log.info("vectors.cache_unusable", { folder: folder.path, message: fault.message });
    }
  }
  throw new Error("There is no folder for LanceDB.");
}

async function ready(addon: PackedAddon, nativeFolder: string, log: Logger): Promise<string> {
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
    // An unreadable file can't be loaded, but it can be replaced.
    if (code === "EACCES" || code === "EISDIR") return "damaged";
    throw thrown;
  }
}

const chunkBytes = 1024 * 1024;

/** Streams the data: unpacking at once would take 390 MB of memory instead of 100. */
async function unpack(addon: PackedAddon, path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const temporary = `${path}.${processMark}.${crypto.randomUUID()}.tmp`;
  const file = await open(temporary, "wx", 0o500);
  try {
    await requireExecutable(temporary, path); // before 200 MB are written in vain
    const hash = new Bun.CryptoHasher("sha256");
    const unzipped = createZstdDecompress({ chunkSize: chunkBytes });
    // node:fs can't read files embedded in the executable.
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
  await folder.sync().catch(() => undefined); // not supported on every system
  await folder.close();
}

/** Replaces the file atomically, because another process may be about to load it. */
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

/** Asks the system whether it would execute the file, which it denies for mounts with noexec, even for root. */
async function requireExecutable(file: string, path = file): Promise<void> {
  await chmod(file, 0o500).catch(() => undefined);
  await access(file, constants.X_OK).catch(() => {
    throw noexecFault(path);
  });
}

const addonName = /^lancedb-[0-9a-f]{64}\.node$/;
const unfinishedName = new RegExp(`^lancedb-[0-9a-f]{64}\\.node\\.(${markPattern})\\.[0-9a-f-]{36}\\.tmp$`);

/** Removes addons of other versions that were last used before `beforeMs`, and files of processes that ended while unpacking. */
async function sweep(
  nativeFolder: string,
  path: string | undefined,
  beforeMs = Number.POSITIVE_INFINITY,
): Promise<void> {
  const isOld = async (name: string) =>
    beforeMs === Number.POSITIVE_INFINITY ||
    (await stat(join(nativeFolder, name)).then(
      ({ mtimeMs }) => mtimeMs < beforeMs,
      () => false,
    ));
  for (const name of await readdir(nativeFolder).catch(() => [])) {
    const [, mark] = unfinishedName.exec(name) ?? [];
    const isOther = addonName.test(name) && (path === undefined || name !== basename(path));
    if ((isOther && (await isOld(name))) || (mark !== undefined && hasEnded(mark)))
      await rm(join(nativeFolder, name), { force: true }).catch(() => undefined);
  }
}

/** Removes every addon from a folder that is not used any more, and the folder if nothing else is in it. */
async function clear(nativeFolder: string): Promise<void> {
  await sweep(nativeFolder, undefined);
  await rmdir(nativeFolder).catch(() => undefined);
}
