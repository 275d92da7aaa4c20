import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { openFileTools } from "../../../support/file-tools.ts";
import { temporaryFolder } from "../../../support/temp-folder.ts";

const folder = temporaryFolder();
const path = (...names: string[]) => join(folder.path, ...names);
const root = path("root");
mkdirSync(root);
const offLimits = [path("root", "data"), path("root", "own.yaml")];
const tools = openFileTools(["{workspace}/root"], { workspace: folder.path, offLimits });
const failed = (error: RegExp) => ({ success: false as const, error: expect.stringMatching(error) });
beforeEach(() => {
  for (const name of readdirSync(root)) rmSync(join(root, name), { recursive: true });
});
afterAll(() => folder[Symbol.dispose]());

function place(name: string, content: string | Uint8Array = "text"): string {
  mkdirSync(dirname(join(root, name)), { recursive: true });
  writeFileSync(join(root, name), content);
  return join(root, name);
}

describe("anything but a regular file", () => {
  test("is refused at once, without being opened", async () => {
    Bun.spawnSync(["mkfifo", join(root, "pipe")]);
    symlinkSync("/dev/zero", join(root, "zero"));
    symlinkSync("/proc/self/environ", join(root, "environ"));
    symlinkSync("/proc/self/fd/0", join(root, "stdin"));
    symlinkSync("loop", join(root, "loop"));
    mkdirSync(join(root, "folder"));
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(join(root, "socket"), resolve));
    for (const name of ["pipe", "zero", "environ", "stdin", "loop", "folder", "socket"]) {
      expect(await tools.read({ path: join(root, name) })).toMatchObject({ success: false });
      expect(await tools.write({ path: join(root, name), content: "x" })).toMatchObject({ success: false });
    }
    for (const name of ["pipe", "zero", "environ", "loop", "socket"]) {
      expect(await tools.write({ path: join(root, name, "x"), content: "x" })).toMatchObject({
        success: false,
      });
    }
    server.close();
    expect(readdirSync(join(root, "folder"))).toEqual([]);
  });
});

describe("links that stay inside are followed", () => {
  test("for reading, and for the folders of what is written", async () => {
    place("real/a.txt");
    symlinkSync("real", join(root, "link"));
    symlinkSync("real/a.txt", join(root, "file"));
    expect(await tools.read({ path: join(root, "link/a.txt") })).toMatchObject({ data: { content: "text" } });
    expect(await tools.read({ path: join(root, "file") })).toMatchObject({ data: { content: "text" } });
    expect(await tools.write({ path: join(root, "link/b/c.txt"), content: "new" })).toMatchObject({
      success: true,
    });
    expect(readFileSync(join(root, "real/b/c.txt"), "utf8")).toBe("new");
    expect(await tools.write({ path: join(root, "file"), content: "new" })).toEqual(failed(/is a link/));
  });
});

describe("what is Argosy's own", () => {
  const own = [
    "data/daemon.db",
    "own.yaml",
    ".env",
    ".env.local",
    "sub/.ENV",
    "a.agent.yaml",
    "x.rag.yml",
    "sub/y.eval.yaml",
  ];
  test.each(own)("%s is neither read nor written", async (name) => {
    const at = place(name);
    const off = failed(/off limits/);
    expect(await tools.read({ path: at })).toEqual(off);
    expect(await tools.write({ path: at, content: "x" })).toEqual(off);
    symlinkSync(at, join(root, "sly"));
    expect(await tools.read({ path: join(root, "sly") })).toEqual(off);
    expect(readFileSync(at, "utf8")).toBe("text");
  });

  test("nor is anything made there", async () => {
    expect(await tools.write({ path: join(root, "data/new/x"), content: "x" })).toEqual(failed(/off limits/));
    expect(await tools.write({ path: join(root, "sub/new.agent.yaml"), content: "x" })).toEqual(
      failed(/off limits/),
    );
    expect(readdirSync(root)).toEqual([]);
  });
});

describe("allowed_paths", () => {
  const refused = [
    "/",
    "",
    "relative",
    "./relative",
    "../x",
    "~",
    "/proc",
    "/proc/self",
    "/dev/shm",
    "/sys",
    "/no/such/folder",
    "{workspace}/none",
    "a\0b",
    `${root}/file.txt`,
    `${root}/to-all`,
    `${root}/data`,
  ];
  test.each(refused)("%j is refused when the agent is loaded", (entry) => {
    place("file.txt");
    place("data/x");
    symlinkSync("/", join(root, "to-all"));
    const { problems } = openFileTools([root, entry], { offLimits: [path("root", "data")] });
    expect(problems).toMatchObject([
      { path: expect.stringMatching(/^tool\.config\.allowed_paths[[.]1\]?$/) },
    ]);
  });

  test("a folder with dots and a slash at its end is one all the same", async () => {
    const at = place("a.txt");
    const { problems, read } = openFileTools([`${folder.path}/./root/../root//`]);
    expect(problems).toEqual([]);
    expect(await read({ path: at })).toMatchObject({ success: true });
  });

  test("a refusal names the folders that are allowed and nothing else", async () => {
    expect(await tools.read({ path: "/etc/passwd" })).toEqual({
      success: false,
      error: `This path is outside of what the tool may use. Use a path below ${root}.`,
    });
    expect(await openFileTools([]).read({ path: "/etc/passwd" })).toEqual(failed(/`allowed_paths` is empty/));
  });
});

describe("encodings", () => {
  const cases: [encoding: string, content: string, bytes: number[]][] = [
    ["utf-8", "é\0\n", [0xc3, 0xa9, 0, 10]],
    ["UTF8", "\uFEFFa", [0xef, 0xbb, 0xbf, 0x61]],
    ["utf-16le", "a€", [0x61, 0, 0xac, 0x20]],
    ["latin1", "é\u0080", [0xe9, 0x80]],
    ["ascii", "az", [0x61, 0x7a]],
    ["base64", "AP8=", [0, 255]],
    ["utf-8", "", []],
  ];
  for (const [encoding, content, bytes] of cases) {
    test(`${encoding}: ${JSON.stringify(content)}`, async () => {
      const at = join(root, "file");
      expect(await tools.write({ path: at, content, encoding })).toEqual({
        success: true,
        data: { path: at, bytes: bytes.length, created: true },
      });
      expect([...readFileSync(at)]).toEqual(bytes);
      expect(await tools.read({ path: at, encoding })).toEqual({
        success: true,
        data: { path: at, content, encoding, bytes: bytes.length },
      });
    });
  }

  test.each([
    ["utf-8", "\ud800"],
    ["latin1", "€"],
    ["ascii", "é"],
    ["base64", "A"],
    ["base64", "not base64!"],
    ["utf-7", "a"],
  ])("%s can't write %j, and nothing is made", async (encoding, content) => {
    expect(await tools.write({ path: join(root, "a/b"), content, encoding })).toMatchObject({
      success: false,
    });
    expect(readdirSync(root)).toEqual([]);
  });

  test.each([
    ["utf-8", [0xff]],
    ["utf-16le", [0x61]],
    ["ascii", [0x80]],
  ])("%s can't read %j", async (encoding, bytes) => {
    const at = place("file", new Uint8Array(bytes));
    expect(await tools.read({ path: at, encoding })).toEqual(failed(/read it as base64/));
  });
});

describe("sizes", () => {
  test("a mebibyte is read and written, a byte more is not", async () => {
    const at = join(root, "file");
    const content = "x".repeat(1_048_576);
    expect(await tools.write({ path: at, content })).toMatchObject({ success: true });
    expect(await tools.read({ path: at })).toMatchObject({ data: { bytes: 1_048_576 } });
    expect(await tools.write({ path: at, content: `${content}x` })).toMatchObject({ success: false });
    expect(statSync(at).size).toBe(1_048_576);
    expect(await tools.read({ path: place("longer", `${content}x`) })).toEqual(
      failed(/larger than the 1048576 bytes/),
    );
    expect(await tools.write({ path: at, content: "é".repeat(600_000) })).toEqual(
      failed(/more than 1048576 bytes/),
    );
  });
});

describe("a file that is written", () => {
  test("replaces the old one whole, with mode 0644, also by many at once", async () => {
    const at = place("sub/file", "old");
    Bun.spawnSync(["chmod", "600", at]);
    const contents = Array.from({ length: 20 }, (_, index) => String(index).repeat(10_000));
    const results = await Promise.all(contents.map((content) => tools.write({ path: at, content })));
    for (const result of results) expect(result).toMatchObject({ success: true, data: { created: false } });
    expect(contents).toContain(readFileSync(at, "utf8"));
    expect(statSync(at).mode & 0o777).toBe(0o644);
    expect(readdirSync(join(root, "sub"))).toEqual(["file"]);
  });

  test("brings its folders, and takes them back when it does not come", async () => {
    expect(await tools.write({ path: join(root, "a/b/c.txt"), content: "x" })).toMatchObject({
      data: { created: true },
    });
    expect(await tools.write({ path: join(root, "a/b/c.txt/d/e"), content: "x" })).toEqual(
      failed(/is a file, not a folder/),
    );
    expect(await tools.write({ path: join(root, "x/y", "z".repeat(300)), content: "x" })).toEqual(
      failed(/too long/),
    );
    expect(readdirSync(root)).toEqual(["a"]);
    expect(await tools.write({ path: join(root, "a/b"), content: "x" })).toEqual(failed(/is a folder/));
    expect(existsSync(join(root, "a/b/c.txt"))).toBe(true);
  });
});

test("a path is read by its spelling before anything is looked up", async () => {
  const at = place("a.txt");
  symlinkSync("/etc", join(root, "out"));
  expect(await tools.read({ path: `${root}/none/../a.txt` })).toMatchObject({ success: true });
  expect(await tools.read({ path: `${root}/out/../a.txt` })).toMatchObject({ data: { content: "text" } });
  expect(await tools.read({ path: `${at}/` })).toEqual(failed(/is a folder/));
  expect(await tools.read({ path: `${root}\\a.txt` })).toEqual(failed(/outside/));
  expect(await tools.read({ path: `${at}\0.png` })).toEqual(failed(/NUL/));
});
