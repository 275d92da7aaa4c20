import { afterAll, describe, expect, test } from "bun:test";
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { packFile } from "../../../../../../scripts/building/pack-file.ts";
import { silentLogger } from "../../../../../../src/kit/log.ts";
import { addonFolders } from "../../../../../../src/retrieval/stores/lancedb/native/addon-folders.ts";
import { addonReadiness } from "../../../../../../src/retrieval/stores/lancedb/native/addon-readiness.ts";
import type { PackedAddon } from "../../../../../../src/retrieval/stores/lancedb/native/packed-addon.ts";
import { processMark } from "../../../../../../src/retrieval/stores/lancedb/native/process-mark.ts";
import {
  unpackAddon,
  unpackedPath,
  unpackOnce,
} from "../../../../../../src/retrieval/stores/lancedb/native/unpack-addon.ts";
import { FakeClock } from "../../../../../support/fake-clock.ts";
import { recordingLogger } from "../../../../../support/recording-logger.ts";
import { smallDisk, smallDiskMissing } from "../../../../../support/small-disk.ts";
import { temporaryFolder } from "../../../../../support/temp-folder.ts";

const workshop = temporaryFolder();
afterAll(() => workshop[Symbol.dispose]());

/** A file of 4 MB instead of a library: loading it is not tested here. */
const source = join(workshop.path, "source.node");
const content = Buffer.alloc(4_000_000);
for (let at = 0; at < content.length; at++) content[at] = (at * 2654435761) >>> 24;
writeFileSync(source, content);
const packed = await packFile(source, "fast", join(workshop.path, "cache"));
const addon: PackedAddon = {
  kind: "packed",
  file: packed.path,
  sizeBytes: packed.sizeBytes,
  sha256: packed.sha256,
};

const unpacked = (folder: string) => unpackAddon(addon, folder, silentLogger);

async function refusalOf(promise: Promise<unknown>) {
  try {
    await promise;
    return undefined;
  } catch (thrown) {
    return thrown as { code: string; status: number; message: string; details: { hint: string } };
  }
}

test("the file is what was packed, executable by its owner alone, and nothing lies beside it", async () => {
  using folder = temporaryFolder();
  const native = join(folder.path, "data/native");
  const path = await unpacked(native);
  expect(readFileSync(path).equals(content)).toBe(true);
  expect(statSync(path).mode & 0o777).toBe(0o500);
  expect(statSync(native).mode & 0o777).toBe(0o700);
  expect(readdirSync(native)).toEqual([`lancedb-${addon.sha256}.node`]);
});

test("it is unpacked once", async () => {
  using folder = temporaryFolder();
  const { ino } = statSync(await unpacked(folder.path));
  expect(statSync(await unpacked(folder.path)).ino).toBe(ino);
});

describe("what isn't the addon is replaced before it is used", () => {
  test.each([
    ["one that is too short", (path: string) => truncateSync(path, 1000)],
    ["an empty one", (path: string) => truncateSync(path, 0)],
    ["one that is too long", (path: string) => appendFileSync(path, "x")],
    ["one of the same size with another byte", (path: string) => writeFileSync(path, tampered())],
    ["a folder", (path: string) => exchange(path, () => mkdirSync(join(path, "deep"), { recursive: true }))],
  ])("%s", async (_, damage) => {
    using folder = temporaryFolder();
    const { log, logged } = recordingLogger();
    const path = await unpackAddon(addon, folder.path, log);
    expect(logged).toEqual([]);
    damage(path);
    expect(await unpackAddon(addon, folder.path, log)).toBe(path);
    expect(readFileSync(path).equals(content)).toBe(true);
    expect(logged).toEqual([{ level: "warn", event: "vectors.addon_damaged", fields: { path } }]);
  });

  function tampered() {
    const bytes = Buffer.from(content);
    bytes[3_999_999] = (bytes[3_999_999] ?? 0) ^ 1;
    return bytes;
  }

  function exchange(path: string, make: () => void) {
    rmSync(path);
    make();
  }
});

describe("what is left over goes", () => {
  const uuid = "1e9fe1a8-0cd7-4bb1-8d43-52b42f4bd5a4";
  const other = `lancedb-${"0".repeat(64)}.node`;

  test.each([
    ["an addon of another version", other, false],
    ["what a process left that was killed while it unpacked", `${other}.4194999-17.${uuid}.tmp`, false],
    ["also when this process has its id now", `${other}.${process.pid}-17.${uuid}.tmp`, false],
    ["but not what a process is unpacking", `${other}.${processMark}.${uuid}.tmp`, true],
    ["nor anything else", "lancedb-mine.node", true],
  ])("%s", async (_, name, stays) => {
    using folder = temporaryFolder();
    writeFileSync(join(folder.path, name), "x");
    await unpacked(folder.path);
    expect(existsSync(join(folder.path, name))).toBe(stays);
  });
});

/** Starts another process that unpacks into `folder`, and exits with 0 if the file is right. */
function startUnpacking(folder: string) {
  const script = `
    import { unpackAddon } from ${JSON.stringify(join(import.meta.dir, "../../../../../../src/retrieval/stores/lancedb/native/unpack-addon.ts"))};
    import { silentLogger } from ${JSON.stringify(join(import.meta.dir, "../../../../../../src/kit/log.ts"))};
    const path = await unpackAddon(${JSON.stringify(addon)}, ${JSON.stringify(folder)}, silentLogger);
    const hash = new Bun.CryptoHasher("sha256").update(await Bun.file(path).bytes()).digest("hex");
    process.exit(hash === ${JSON.stringify(addon.sha256)} ? 0 : 1);`;
  return Bun.spawn([process.execPath, "-e", script], { stdio: ["ignore", "ignore", "inherit"] });
}

test("processes that unpack at once all get it", async () => {
  using folder = temporaryFolder();
  const codes = await Promise.all([1, 2, 3, 4].map(() => startUnpacking(folder.path).exited));
  expect(codes).toEqual([0, 0, 0, 0]);
  expect(readdirSync(folder.path)).toEqual([`lancedb-${addon.sha256}.node`]);
});

test("processes in the middle of it may be killed", async () => {
  using folder = temporaryFolder();
  for (let kill = 0; kill < 5; kill++) {
    const child = startUnpacking(folder.path);
    // As soon as any part of it exists.
    while (!existsSync(folder.path) || readdirSync(folder.path).length === 0) await new Promise(setImmediate);
    child.kill("SIGKILL");
    await child.exited;
    const path = await unpacked(folder.path);
    expect(readFileSync(path).equals(content)).toBe(true);
    expect(readdirSync(folder.path)).toEqual([`lancedb-${addon.sha256}.node`]);
    rmSync(path);
  }
});

test("an executable whose addon is damaged answers 503, and leaves no file", async () => {
  using folder = temporaryFolder();
  const wrong = { ...addon, sha256: "1".repeat(64) };
  expect(await refusalOf(unpackAddon(wrong, folder.path, silentLogger))).toMatchObject({
    code: "vectors_unavailable",
    status: 503,
  });
  expect(readdirSync(folder.path)).toEqual([]);
});

describe.skipIf(smallDiskMissing !== undefined)(
  `disks that don't take it (${smallDiskMissing ?? "as root"})`,
  () => {
    test("a full one is 503", async () => {
      using disk = smallDisk(2048);
      const native = join(disk.path, "native");
      const refusal = await refusalOf(unpacked(native));
      expect(refusal).toMatchObject({ code: "vectors_unavailable", status: 503 });
      expect(refusal?.message).toBe(
        `The disk of ${native} is full; unpacking LanceDB needs 4 MB there once.`,
      );
      expect(refusal?.details.hint).toBe("Free 4 MB, or move the data folder with ARGOSY_DATA.");
      expect(readdirSync(native)).toEqual([]);
    });

    test("one that is read-only is 503", async () => {
      using disk = smallDisk(8192);
      disk.makeReadOnly();
      const refusal = await refusalOf(unpacked(join(disk.path, "native")));
      expect(refusal).toMatchObject({ code: "vectors_unavailable", status: 503 });
      expect(refusal?.message).toContain("can't be written to");
      expect(refusal?.details.hint).toContain("ARGOSY_DATA");
    });

    test("one that became read-only after it was unpacked: it is used from there", async () => {
      using disk = smallDisk(8192);
      const path = await unpacked(disk.path);
      disk.makeReadOnly();
      expect(await unpacked(disk.path)).toBe(path);
    });

    test("one where no program may be executed is 503, before anything is unpacked", async () => {
      using disk = smallDisk(8192, { noexec: true });
      const refusal = await refusalOf(unpacked(join(disk.path, "native")));
      expect(refusal).toMatchObject({ code: "vectors_unavailable", status: 503 });
      expect(refusal?.message).toContain("noexec");
      expect(refusal?.message).toContain(unpackedPath(join(disk.path, "native"), addon));
      expect(readdirSync(join(disk.path, "native"))).toEqual([]);
    });
  },
);

describe("once for all workspaces of a user", () => {
  const name = `lancedb-${addon.sha256}.node`;
  const other = `lancedb-${"0".repeat(64)}.node`;

  /** A user's cache and the data folders of two workspaces. */
  function user() {
    const folder = temporaryFolder();
    const cacheFolder = join(folder.path, "cache");
    const { log, logged } = recordingLogger();
    const clock = new FakeClock();
    const dataOf = (workspace: string) => join(folder.path, workspace, ".argosy");
    const load = (workspace: string) =>
      unpackOnce(addon, addonFolders({ dataFolder: dataOf(workspace), cacheFolder }), log, clock);
    return { folder, cacheFolder, dataOf, load, logged, clock };
  }

  test("it is unpacked into the user's cache, and copies in workspaces are removed", async () => {
    const { folder, cacheFolder, dataOf, load, logged } = user();
    using _folder = folder;
    for (const workspace of ["one", "two"]) {
      const native = join(dataOf(workspace), "native");
      mkdirSync(native, { recursive: true });
      for (const copy of [name, other]) writeFileSync(join(native, copy), "x");
    }
    const shared = join(cacheFolder, "native", name);
    expect(await load("one")).toBe(shared);
    const { ino } = statSync(shared);
    expect(await load("two")).toBe(shared);
    expect(statSync(shared).ino).toBe(ino);
    expect(["one", "two"].map((workspace) => readdirSync(dataOf(workspace)))).toEqual([[], []]);
    expect(logged).toEqual([]);
    expect(await addonReadiness({ dataFolder: dataOf("one"), cacheFolder }, addon)).toBe("unpacked");
  });

  test("one of another version goes when nothing has loaded it for 30 days", async () => {
    const { folder, cacheFolder, load, clock } = user();
    using _folder = folder;
    await load("one");
    const path = join(cacheFolder, "native", other);
    writeFileSync(path, "x");
    utimesSync(path, clock.now(), clock.now());
    await clock.advance(29 * 24 * 3600 * 1000);
    await load("one");
    expect(existsSync(path)).toBe(true);
    await clock.advance(2 * 24 * 3600 * 1000);
    await load("one");
    expect(readdirSync(join(cacheFolder, "native"))).toEqual([name]);
  });

  test.each<[string, (cache: string) => void]>([
    ["can't be made", (cache) => writeFileSync(cache, "a file")],
    [
      "is open to other users",
      (cache) => {
        mkdirSync(join(cache, "native"), { recursive: true });
        chmodSync(join(cache, "native"), 0o777);
      },
    ],
  ])("a cache that %s is left alone: the data folder is used", async (_why, spoil) => {
    const { folder, cacheFolder, dataOf, load, logged } = user();
    using _folder = folder;
    spoil(cacheFolder);
    expect(await load("one")).toBe(join(dataOf("one"), "native", name));
    expect(logged).toMatchObject([
      {
        level: "info",
        event: "vectors.cache_unusable",
        fields: { message: expect.stringContaining("can't be written to") },
      },
    ]);
    expect(await addonReadiness({ dataFolder: dataOf("one"), cacheFolder }, addon)).toBe("unpacked");
  });

  test.skipIf(smallDiskMissing !== undefined)(
    "a cache on a read-only or full disk is left alone",
    async () => {
      for (const kibibytes of [512, 8192]) {
        using disk = smallDisk(kibibytes);
        if (kibibytes === 8192) disk.makeReadOnly();
        using folder = temporaryFolder();
        const folders = addonFolders({ dataFolder: folder.path, cacheFolder: join(disk.path, "cache") });
        expect(await unpackOnce(addon, folders, silentLogger)).toBe(join(folder.path, "native", name));
      }
    },
  );
});
