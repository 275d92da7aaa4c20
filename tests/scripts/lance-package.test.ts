import { expect, test } from "bun:test";
import { join } from "node:path";
import { installedAddon, lancePackage, ownTarget } from "../../scripts/building/lance-package.ts";
import { temporaryFolder } from "../support/temp-folder.ts";

test.each([
  ["bun-linux-x64", "@lancedb/lancedb-linux-x64-gnu"],
  ["bun-linux-x64-baseline", "@lancedb/lancedb-linux-x64-gnu"],
  ["bun-linux-x64-modern", "@lancedb/lancedb-linux-x64-gnu"],
  ["bun-linux-x64-musl", "@lancedb/lancedb-linux-x64-musl"],
  ["bun-linux-x64-musl-baseline", "@lancedb/lancedb-linux-x64-musl"],
  ["bun-linux-arm64", "@lancedb/lancedb-linux-arm64-gnu"],
  ["bun-linux-arm64-musl", "@lancedb/lancedb-linux-arm64-musl"],
  ["bun-darwin-arm64", "@lancedb/lancedb-darwin-arm64"],
  ["bun-darwin-x64", undefined],
  ["bun-windows-x64", "@lancedb/lancedb-win32-x64-msvc"],
  ["bun-windows-arm64", "@lancedb/lancedb-win32-arm64-msvc"],
  ["bun-amiga-68k", undefined],
])("for %s the addon is in %s", (target, name) => {
  expect(lancePackage(target)).toBe(name as string);
});

test("this machine's addon is installed; another's is where its package is", () => {
  const root = join(import.meta.dir, "../..");
  expect(installedAddon(root, ownTarget())).toEndWith(".node");
  using empty = temporaryFolder();
  expect(installedAddon(empty.path, ownTarget())).toBeUndefined();
});
