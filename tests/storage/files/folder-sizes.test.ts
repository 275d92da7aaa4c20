import { expect, test } from "bun:test";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { measureFolders } from "../../../src/storage/files/folder-sizes.ts";
import { temporaryFolder } from "../../support/temp-folder.ts";

test("folders are measured by their files, up to a limit", async () => {
  using folder = temporaryFolder();
  const { path } = folder;
  mkdirSync(join(path, "vectors/deep"), { recursive: true });
  writeFileSync(join(path, "a.json"), "12345");
  writeFileSync(join(path, "daemon.db"), "123");
  writeFileSync(join(path, "vectors/one"), "12");
  writeFileSync(join(path, "vectors/deep/two"), "1234");
  symlinkSync("/", join(path, "vectors/away"));
  const isSkipped = (name: string) => name === "daemon.db";
  expect(await measureFolders(path, { filesMax: 10, isSkipped })).toEqual([
    { name: ".", sizeBytes: 5, files: 1, isComplete: true },
    { name: "vectors", sizeBytes: 6, files: 2, isComplete: true },
  ]);
  const [, cut] = await measureFolders(path, { filesMax: 2, isSkipped });
  expect(cut).toMatchObject({ files: 1, isComplete: false });
  expect(await measureFolders(join(path, "missing"), { filesMax: 2, isSkipped })).toEqual([
    { name: ".", sizeBytes: 0, files: 0, isComplete: true },
  ]);
});
