import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  bufferLimits,
  openFilesOf,
} from "../../../../../src/retrieval/stores/lancedb/native/native-memory.ts";
import { temporaryFolder } from "../../../../support/temp-folder.ts";

const opensManyFiles =
  process.platform === "linux" &&
  "LANCE_LEGACY_SHUFFLER" in bufferLimits(openFilesOf(readFileSync("/proc/self/limits", "utf8")));

// The vectors alone have 88 MiB. With LanceDB's own settings it is 190 MiB.
test.skipIf(!opensManyFiles)("the first index of 60,000 rows takes at most 150 MiB", async () => {
  using folder = temporaryFolder();
  const child = Bun.spawn(
    [process.execPath, join(import.meta.dir, "index-memory-child.ts"), folder.path, "60000"],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  const printed = await new Response(child.stdout).text();
  expect(await child.exited).toBe(0);
  const { grownMib, indexes } = JSON.parse(printed);
  expect(indexes).toContain("vector_245_idx");
  expect(grownMib).toBeGreaterThan(0);
  expect(grownMib).toBeLessThanOrEqual(150);
});
