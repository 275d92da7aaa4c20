import { expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { draftOf, removeFile, replaceFile } from "../../../src/storage/files/replace-file.ts";
import { temporaryFolder } from "../../support/temp-folder.ts";

test("a file gets its text and its permissions, in place of any earlier file", () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "one.yaml");
  replaceFile(path, "first", 0o600);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  replaceFile(path, "größer", 0o644);
  expect(readFileSync(path, "utf8")).toBe("größer");
  expect(statSync(path).mode & 0o777).toBe(0o644);
  expect(readdirSync(folder.path)).toEqual(["one.yaml"]);
  removeFile(path);
  removeFile(path);
  expect(readdirSync(folder.path)).toEqual([]);
});

test("what a killed writer left is replaced, and nothing is written through a link", () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "one.yaml");
  const elsewhere = join(folder.path, "elsewhere");
  writeFileSync(elsewhere, "kept");
  symlinkSync(elsewhere, draftOf(path));
  symlinkSync(elsewhere, path);
  replaceFile(path, "new", 0o644);
  expect(readFileSync(elsewhere, "utf8")).toBe("kept");
  expect(readFileSync(path, "utf8")).toBe("new");
});

test("a write that fails leaves the file as it was and no draft", () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "taken");
  mkdirSync(path);
  writeFileSync(join(path, "inside"), "kept");
  expect(() => replaceFile(path, "new", 0o644)).toThrow();
  expect(readdirSync(folder.path)).toEqual(["taken"]);
});

test("a writer that is killed in the middle leaves one of the two texts whole", async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "one.yaml");
  for (let kill = 1; kill <= 5; kill++) {
    const writer = Bun.spawn([process.execPath, join(import.meta.dirname, "replacing-writer.ts"), path]);
    let written = 0;
    for await (const chunk of writer.stdout) {
      written += chunk.length;
      if (written >= kill * 2) writer.kill("SIGKILL");
    }
    await writer.exited;
    expect(writer.signalCode).toBe("SIGKILL");
    expect(readFileSync(path, "utf8")).toMatch(/^(?:a{300000}|b{300000})$/);
  }
});
