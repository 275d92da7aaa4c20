import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import {
  closeSync,
  existsSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import corpus from "../../../corpora/path_traversal.json" with { type: "json" };
import { openFileTools } from "../../../support/file-tools.ts";
import { temporaryFolder } from "../../../support/temp-folder.ts";

const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());
/** Maps the corpus's `/data` to the test's folder. */
const here = (path: string) => path.replaceAll("/data/", `${folder.path}/`).replace(/^\/data$/, folder.path);
const allowed = here("/data/allowed");
const canary = "SECRET-CANARY";

beforeEach(() => {
  rmSync(allowed, { recursive: true, force: true });
  for (const path of ["secret.txt", "allowed-evil/a.txt", "allowedx", "allowed/a.txt", "relative/x"]) {
    mkdirSync(dirname(join(folder.path, path)), { recursive: true });
    writeFileSync(join(folder.path, path), path === "allowed/a.txt" ? "inside" : canary);
  }
});

/** Set-ups for the corpus's descriptions; other entries need none. */
const setUps: Record<string, () => void> = {
  "ln -s /etc /data/allowed/link": () => symlinkSync("/etc", join(allowed, "link")),
  "ln -s /etc/passwd /data/allowed/f": () => symlinkSync("/etc/passwd", join(allowed, "f")),
  "ln -s ../secret.txt /data/allowed/f": () => symlinkSync("../secret.txt", join(allowed, "f")),
  "ln -s /etc/new /data/allowed/dangling": () => symlinkSync(here("/data/new"), join(allowed, "dangling")),
  "ln -s /tmp /data/allowed/link": () => symlinkSync(folder.path, join(allowed, "link")),
  "truncate -s 10G big": () => {
    const file = openSync(join(allowed, "big"), "w");
    ftruncateSync(file, 10 * 2 ** 30);
    closeSync(file);
  },
  "invalid UTF-8 bytes": () => writeFileSync(join(allowed, "bin"), new Uint8Array([0x61, 0xff, 0xfe])),
};

interface Input {
  allowed_paths?: string[];
  path: string;
  op?: string;
  setup?: string;
  encoding?: string;
  content_bytes?: number;
}

for (const entry of corpus.entries) {
  const { id, expected, why } = entry;
  const input: Input = entry.input;
  // These two are described in words, and have tests of their own below.
  if (id === "path_traversal-062" || id === "path_traversal-065") continue;
  test(`${id}: ${why}`, async () => {
    setUps[input.setup ?? ""]?.();
    if (input.setup !== undefined) expect(Object.keys(setUps)).toContain(input.setup);
    const tools = openFileTools((input.allowed_paths ?? ["/data/allowed"]).map(here));
    if (expected === "config-error") {
      expect(tools.problems).toMatchObject([{ path: expect.stringContaining("config.allowed_paths") }]);
      return;
    }
    expect(tools.problems).toEqual([]);
    const path = here(input.path);
    const encoding = input.encoding === undefined ? {} : { encoding: input.encoding };
    const outside = () =>
      readdirSync(folder.path)
        .filter((name) => name !== "allowed")
        .sort();
    const before = outside();
    const content = "x".repeat(Math.min(input.content_bytes ?? 3, 4_000_000));

    if (expected === "allow" && input.op !== "write" && !existsSync(path)) {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, "inside");
    }
    const read = input.op === "write" ? undefined : await tools.read({ path, ...encoding });
    const write = input.op === "read" ? undefined : await tools.write({ path, content, ...encoding });

    expect(outside()).toEqual(before);
    expect(existsSync("/etc/new")).toBe(false);
    for (const result of [read, write]) {
      if (result === undefined) continue;
      const text = JSON.stringify(result);
      expect(text).not.toContain(canary);
      expect(text).not.toContain("root:");
      if (!result.success) expect(result.error.length).toBeGreaterThan(20);
    }
    if (expected === "allow") {
      if (read !== undefined) expect(read).toMatchObject({ success: true, data: { content: "inside" } });
      if (write !== undefined) expect(write).toMatchObject({ success: true });
      expect(readFileSync(path, "utf8")).toBe(content);
    } else if (expected === "literal") {
      // A valid name: the file does not exist, and can be created.
      expect(read).toEqual({ success: false, error: expect.stringContaining("nothing at this path") });
      expect(write).toMatchObject({ success: true });
      expect(await tools.read({ path })).toMatchObject({ data: { content } });
    } else {
      // Everything else is refused, also "policy", a dot file with secrets.
      expect([read?.success ?? false, write?.success ?? false]).toEqual([false, false]);
    }
    expect(readFileSync(join(folder.path, "secret.txt"), "utf8")).toBe(canary);
    // A failed write leaves no temporary file.
    expect(readdirSync(allowed).filter((name) => name.endsWith(".tmp"))).toEqual([]);
  });
}

test("path_traversal-065: a root that is a link is resolved once, at load", async () => {
  mkdirSync(here("/data/real"), { recursive: true });
  writeFileSync(here("/data/real/a.txt"), "inside");
  symlinkSync(here("/data/real"), here("/data/via"));
  const tools = openFileTools([here("/data/via")]);
  for (const path of ["/data/via/a.txt", "/data/real/a.txt"]) {
    expect(await tools.read({ path: here(path) })).toMatchObject({ data: { content: "inside" } });
  }
  rmSync(here("/data/via"));
  symlinkSync(folder.path, here("/data/via"));
  expect(await tools.read({ path: here("/data/via/a.txt") })).toMatchObject({ data: { content: "inside" } });
  expect(await tools.read({ path: here("/data/via/secret.txt") })).toMatchObject({ success: false });
  rmSync(here("/data/real"), { recursive: true });
  symlinkSync(folder.path, here("/data/real"));
  expect(await tools.read({ path: here("/data/via/secret.txt") })).toMatchObject({ success: false });
  expect(await tools.write({ path: here("/data/real/new.txt"), content: "x" })).toMatchObject({
    success: false,
  });
});

describe.skipIf(process.platform !== "linux")(
  "path_traversal-062: folders swapped for links in 10,000 rounds",
  () => {
    test("nothing is written or read outside", async () => {
      const outside = here("/data/outside");
      const swapped = join(allowed, "d");
      mkdirSync(outside, { recursive: true });
      mkdirSync(swapped);
      for (const path of [outside, swapped])
        writeFileSync(join(path, "y"), path === outside ? canary : "inside");
      const swapper = Bun.spawn(
        [process.execPath, join(import.meta.dir, "swap-folder.ts"), swapped, outside],
        {
          stdout: "pipe",
        },
      );
      await swapper.stdout.getReader().read();
      const tools = openFileTools([allowed]);
      const seen = { wrote: 0, read: 0, refused: 0 };
      try {
        for (let round = 0; round < 10_000; round += 20) {
          const calls = Array.from({ length: 10 }, (_, index) => [
            tools.write({ path: join(swapped, `x${index}`), content: "x" }),
            tools.read({ path: join(swapped, "y") }),
          ]);
          for (const result of await Promise.all(calls.flat())) {
            if (!result.success) seen.refused++;
            else if ((result.data as { content?: string }).content === undefined) seen.wrote++;
            else seen.read++;
            expect(JSON.stringify(result)).not.toContain(canary);
          }
        }
      } finally {
        swapper.kill("SIGKILL");
        await swapper.exited;
      }
      expect(readdirSync(outside)).toEqual(["y"]);
      // The race really happened: each outcome occurred.
      expect(Math.min(seen.wrote, seen.read, seen.refused)).toBeGreaterThan(0);
    });
  },
);
