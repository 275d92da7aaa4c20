import { expect, test } from "bun:test";
import { readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { makeRunFolder } from "../../scripts/testing/run-folder.ts";
import { smallDisk, smallDiskMissing } from "../support/small-disk.ts";
import { temporaryFolder } from "../support/temp-folder.ts";

test("each run has an empty folder of its own, in which other users reach what they know the name of", () => {
  const folders = [makeRunFolder(), makeRunFolder()];
  expect(new Set(folders).size).toBe(2);
  for (const folder of folders) {
    expect(readdirSync(folder)).toEqual([]);
    expect(statSync(folder).mode & 0o777).toBe(0o711);
    rmSync(folder, { recursive: true });
  }
});

test("a system without a file system in memory uses its temporary folder", () => {
  using folder = temporaryFolder();
  const made = makeRunFolder(join(folder.path, "missing"));
  expect(dirname(made)).toBe(tmpdir());
  rmSync(made, { recursive: true });
});

for (const [what, kibibytes, noexec] of [
  ["too small", 1024, false],
  ["one where nothing may be executed", 7 * 2 ** 20, true],
] as const) {
  test.skipIf(smallDiskMissing !== undefined)(`a place in memory that is ${what} is not used`, () => {
    using disk = smallDisk(kibibytes, { noexec });
    const made = makeRunFolder(disk.path);
    expect(dirname(made)).toBe(tmpdir());
    expect(readdirSync(disk.path)).toEqual([]);
    rmSync(made, { recursive: true });
  });
}
