import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { hasEnded, processMark } from "../../../../../src/retrieval/stores/lancedb/native/process-mark.ts";
import { openTemporaryFolder } from "../../../../../src/retrieval/stores/lancedb/native/temporary-folder.ts";
import { temporaryFolder } from "../../../../support/temp-folder.ts";

const uuid = "1e9fe1a8-0cd7-4bb1-8d43-52b42f4bd5a4";

test("it is this process's own, and only those of processes that ended are removed", async () => {
  using folder = temporaryFolder();
  const parent = join(folder.path, "tmp");
  const child = Bun.spawn(["true"]);
  await child.exited;
  const kept = [`lance-${processMark}.${uuid}`, `lance-1-17.${uuid}`, "lance-mine", "uploads"];
  const left = [`lance-${child.pid}-17.${uuid}`, `lance-${process.pid}-17.${uuid}`];
  for (const name of [...kept, ...left]) mkdirSync(join(parent, name, ".tmpA1b2C3"), { recursive: true });
  const path = await openTemporaryFolder(parent);
  expect(statSync(path).mode & 0o777).toBe(0o700);
  expect(readdirSync(path)).toEqual([]);
  for (const name of left) expect(existsSync(join(parent, name))).toBe(false);
  for (const name of kept) expect(existsSync(join(parent, name))).toBe(true);
});

test("a process has ended when it no longer runs, or another has its id", async () => {
  const child = Bun.spawn(["sleep", "60"]);
  expect(hasEnded(`${child.pid}-17`)).toBe(false);
  child.kill();
  await child.exited;
  expect(hasEnded(`${child.pid}-17`)).toBe(true);
  expect(hasEnded(processMark)).toBe(false);
  expect(hasEnded(`${process.pid}-17`)).toBe(true);
});
