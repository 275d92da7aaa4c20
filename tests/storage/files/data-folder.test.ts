import { expect, test } from "bun:test";
import { mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openDataFolder } from "../../../src/storage/files/data-folder.ts";
import { refusal } from "../../support/refusal.ts";
import { smallDisk, smallDiskMissing } from "../../support/small-disk.ts";
import { temporaryFolder } from "../../support/temp-folder.ts";

const isRoot = process.getuid?.() === 0;

/** Holds the folder until its standard input ends, without keeping the result of `openDataFolder`. */
const holder = `
  const { openDataFolder } = await import(process.argv[1]);
  openDataFolder(process.argv[2]);
  Bun.gc(true);
  console.log("held");
  await Bun.stdin.text();`;

async function holdInAnotherProcess(path: string): Promise<Bun.Subprocess> {
  const module = join(import.meta.dirname, "../../../src/storage/files/data-folder.ts");
  const command = [process.execPath, "-e", holder, module, path];
  const child = Bun.spawn(command, { stdin: "pipe", stdout: "pipe", stderr: "inherit" });
  await child.stdout.getReader().read();
  return child;
}

test("a missing folder is made for this user alone", () => {
  using parent = temporaryFolder();
  const path = join(parent.path, "deep", "data");
  const folder = openDataFolder(path);
  expect(folder.path).toBe(path);
  expect(statSync(path).mode & 0o777).toBe(0o700);
  folder.close();
});

test("a second process is refused with the owner of the folder, until the first is killed", async () => {
  using folder = temporaryFolder();
  const first = await holdInAnotherProcess(folder.path);
  const error = await refusal(() => openDataFolder(folder.path));
  expect(error).toMatchObject({ kind: "conflict", code: "data_folder_in_use" });
  expect(error.message).toContain(`process ${first.pid}`);
  first.kill("SIGKILL");
  await first.exited;
  openDataFolder(folder.path).close();
});

test("the same process can't hold it twice, and can again after closing it", async () => {
  using folder = temporaryFolder();
  const first = openDataFolder(folder.path);
  expect((await refusal(() => openDataFolder(folder.path))).message).toContain(`process ${process.pid}`);
  first.close();
  openDataFolder(folder.path).close();
});

test("a child that outlives its parent doesn't keep the lock", async () => {
  using folder = temporaryFolder();
  const first = openDataFolder(folder.path);
  const child = Bun.spawn(["sleep", "60"]);
  first.close();
  openDataFolder(folder.path).close();
  child.kill();
});

test("what can't be a data folder is refused with the reason", async () => {
  using parent = temporaryFolder();
  const file = join(parent.path, "file");
  writeFileSync(file, "");
  for (const path of [file, join(file, "below")]) {
    expect(await refusal(() => openDataFolder(path))).toMatchObject({ code: "data_folder_unusable" });
  }
});

test.skipIf(isRoot)(
  `a folder that this user may not write is refused${isRoot ? " (root may)" : ""}`,
  async () => {
    using parent = temporaryFolder();
    const path = join(parent.path, "read-only");
    mkdirSync(path, { mode: 0o500 });
    const error = await refusal(() => openDataFolder(path));
    expect(error).toMatchObject({ kind: "unavailable", code: "data_folder_unusable" });
    expect(error.message).toContain("this user may not write it");
  },
);

const reason = smallDiskMissing === undefined ? "" : ` (${smallDiskMissing})`;
test.skipIf(smallDiskMissing !== undefined)(
  `a folder on a read-only file system is refused${reason}`,
  async () => {
    using disk = smallDisk(64);
    const path = join(disk.path, "data");
    mkdirSync(path);
    disk.makeReadOnly();
    for (const refused of [path, join(disk.path, "new")]) {
      const error = await refusal(() => openDataFolder(refused));
      expect(error).toMatchObject({ kind: "unavailable", code: "data_folder_unusable" });
      expect(error.message).toContain("its file system is read-only");
    }
  },
);
