import { describe, expect, test } from "bun:test";
import { chmodSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { addonReadiness } from "../../../../../src/retrieval/stores/lancedb/native/addon-readiness.ts";
import type { PackedAddon } from "../../../../../src/retrieval/stores/lancedb/native/packed-addon.ts";
import { smallDisk, smallDiskMissing } from "../../../../support/small-disk.ts";
import { temporaryFolder } from "../../../../support/temp-folder.ts";

const sha256 = "a".repeat(64);
const addon: PackedAddon = { kind: "packed", file: "/nowhere", sizeBytes: 1_000_000, sha256 };

const faultOf = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (thrown) => ({ code: thrown.code, message: thrown.message }),
  );

test("one of node_modules is there", async () => {
  expect(await addonReadiness({ dataFolder: "/nowhere" }, { kind: "installed" })).toBe("installed");
});

test("an executable without it says so", async () => {
  const fault = await faultOf(
    addonReadiness({ dataFolder: "/nowhere" }, { kind: "absent", target: "bun-darwin-x64" }),
  );
  expect(fault).toMatchObject({
    code: "vectors_unavailable",
    message: expect.stringContaining("bun-darwin-x64"),
  });
});

test("before the first use it is packed, and nothing is left of finding that out", async () => {
  using folder = temporaryFolder();
  expect(await addonReadiness({ dataFolder: folder.path }, addon)).toBe("packed");
  expect(readdirSync(join(folder.path, "native"))).toEqual([]);
});

test("after that it is unpacked; one of another size is not it", async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "native", `lancedb-${sha256}.node`);
  mkdirSync(join(folder.path, "native"));
  writeFileSync(path, Buffer.alloc(999_999));
  expect(await addonReadiness({ dataFolder: folder.path }, addon)).toBe("packed");
  writeFileSync(path, Buffer.alloc(1_000_000));
  chmodSync(path, 0o500);
  expect(await addonReadiness({ dataFolder: folder.path }, addon)).toBe("unpacked");
});

describe.skipIf(smallDiskMissing !== undefined)(
  `disks that don't take it (${smallDiskMissing ?? "as root"})`,
  () => {
    test.each([
      ["a small one", { kibibytes: 512 }, "is full; unpacking LanceDB needs 1 MB there once."],
      ["one where nothing may be executed", { kibibytes: 2048, noexec: true }, "noexec"],
      ["a small one where nothing may be executed", { kibibytes: 512, noexec: true }, "noexec"],
    ])("%s", async (_, { kibibytes, ...options }, message) => {
      using disk = smallDisk(kibibytes, options);
      const fault = await faultOf(addonReadiness({ dataFolder: disk.path }, addon));
      expect(fault).toMatchObject({ code: "vectors_unavailable", message: expect.stringContaining(message) });
      expect(readdirSync(join(disk.path, "native"))).toEqual([]);
    });

    test("one that is read-only", async () => {
      using disk = smallDisk(2048);
      disk.makeReadOnly();
      expect(await faultOf(addonReadiness({ dataFolder: disk.path }, addon))).toMatchObject({
        code: "vectors_unavailable",
        message: expect.stringContaining("can't be written to"),
      });
    });
  },
);
