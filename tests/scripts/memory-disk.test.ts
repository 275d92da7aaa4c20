import { expect, test } from "bun:test";
import { mkdirSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { withFolderInMemory } from "../../scripts/testing/memory-disk.ts";
import { smallDiskMissing } from "../support/small-disk.ts";
import { temporaryFolder } from "../support/temp-folder.ts";

const command = [
  "sh",
  "-c",
  'stat -f -c %T "$1"; echo text > "$1/file"; stat -c "%a %s" "$1" "$1/file"; exit 3',
  "sh",
];

test("without the right to mount, or without room, a command runs as it is", () => {
  const freeBytes = 2 ** 40;
  expect(withFolderInMemory("/folder", command, { isPossible: false, freeBytes })).toEqual(command);
  expect(withFolderInMemory("/folder", command, { isPossible: true, freeBytes: 2 ** 20 })).toEqual(command);
});

test.skipIf(smallDiskMissing !== undefined)("only the command sees the folder in memory", async () => {
  using folder = temporaryFolder();
  const place = join(folder.path, "a place");
  mkdirSync(place, { mode: 0o700 });
  const wrapped = withFolderInMemory(place, [...command, place], { freeBytes: 2 ** 40 });
  const child = Bun.spawn(wrapped, { stdout: "pipe" });
  expect(await new Response(child.stdout).text()).toMatch(/^tmpfs\n711 \d+\n644 5\n$/);
  expect(await child.exited).toBe(3);
  expect(readdirSync(place)).toEqual([]);
  expect(statSync(place).mode & 0o777).toBe(0o700);
});

test.skipIf(smallDiskMissing !== undefined)("a signal reaches the command itself", async () => {
  using folder = temporaryFolder();
  const waiting = ["sh", "-c", "trap 'exit 7' TERM; echo ready; while :; do sleep 0.01; done"];
  const child = Bun.spawn(withFolderInMemory(folder.path, waiting, { freeBytes: 2 ** 40 }), {
    stdout: "pipe",
  });
  await child.stdout.getReader().read();
  child.kill("SIGTERM");
  expect(await child.exited).toBe(7);
});
