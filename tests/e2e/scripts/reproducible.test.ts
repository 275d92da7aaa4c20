import { afterAll, beforeAll, expect, test } from "bun:test";
import { generateKeyPairSync, sign } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { signedList } from "../../../scripts/releasing/publish-files.ts";

const root = join(import.meta.dir, "../../..");
/** On the disk of the source, so that packages are hard links and no copies. */
const place = join(root, ".cache/two-folders");
const folders = [join(place, "a"), join(place, "a-longer-name/inside/b")];

const { privateKey, publicKey } = generateKeyPairSync("ed25519");
const key = publicKey.export({ format: "der", type: "spki" }).subarray(-32).toString("base64");

/** What the download page has; a test sets it. */
let page: Readonly<Record<string, string | Uint8Array>> = {};
const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch(request) {
    const content = page[new URL(request.url).pathname];
    return content === undefined ? new Response("", { status: 404 }) : new Response(content as BodyInit);
  },
});

const builds: string[] = [];

beforeAll(async () => {
  rmSync(place, { recursive: true, force: true });
  for (const [index, folder] of folders.entries()) {
    copySource(folder);
    const out = join(folder, "dist", index === 0 ? "argosy" : "another-name");
    const build = Bun.spawn(["scripts/build", "--fast", "--out", out], {
      cwd: folder,
      env: {
        ...process.env,
        ARGOSY_RELEASE_URL: `http://127.0.0.1:${server.port}/dl/`,
        ARGOSY_RELEASE_KEY: key,
      },
      stdio: ["ignore", "ignore", "pipe"],
    });
    const faults = await new Response(build.stderr).text();
    if ((await build.exited) !== 0) throw new Error(faults);
    builds.push(out);
  }
}, 600_000);

afterAll(async () => {
  await server.stop(true);
  rmSync(place, { recursive: true, force: true });
});

/** Copies what the repository tracks, and links the packages. Nothing that an earlier build has made is there. */
function copySource(folder: string): void {
  mkdirSync(join(folder, ".cache"), { recursive: true });
  const listed = Bun.spawnSync(["git", "-C", root, "ls-files", "-co", "--exclude-standard"]);
  const files = listed.success
    ? listed.stdout.toString().split("\n")
    : [...new Bun.Glob("**").scanSync({ cwd: root, dot: true })].filter(
        (file) => !/(^|\/)(node_modules|\.git|\.cache|dist)\//.test(file),
      );
  for (const file of files) {
    if (file === "" || !existsSync(join(root, file))) continue;
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    cpSync(join(root, file), join(folder, file), { recursive: true, verbatimSymlinks: true });
  }
  for (const part of ["node_modules", ".cache/bun"])
    Bun.spawnSync(["cp", "-al", join(root, part), join(folder, part)]);
}

const hashOf = (path: string) => new Bun.CryptoHasher("sha256").update(readFileSync(path)).digest("hex");

test("two folders and two names give the same bytes, and no byte names a folder", () => {
  const [first = "", second = ""] = builds;
  expect(hashOf(second)).toBe(hashOf(first));
  const bytes = readFileSync(first);
  for (const folder of [root, ...folders]) expect(bytes.includes(folder)).toBe(false);
});

/** A program that stands in for a newer executable. */
const newer = (answer: string) => Buffer.from(`#!/bin/sh\necho '${answer}'\n`);

function publish(program: Uint8Array, version = "99.0.0", file = program): void {
  const target = `${process.platform}-${process.arch}`;
  const sha256 = new Bun.CryptoHasher("sha256").update(program).digest("hex");
  const files = { [target]: { file: "new.zst", sha256, size: program.length } };
  const { json, signature } = signedList({ product: "argosy", version, files }, privateKey);
  page = {
    "/dl/release.json": json,
    "/dl/release.json.sig": signature,
    "/dl/new.zst": Bun.zstdCompressSync(file),
  };
}

/** Runs `upgrade` of a copy of the executable. */
async function upgrade(...args: string[]) {
  const folder = join(place, "installed");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const program = join(folder, "argosy");
  cpSync(builds[0] ?? "", program);
  const before = hashOf(program);
  const child = Bun.spawn([program, "upgrade", "--json", ...args], {
    env: { HOME: folder, PATH: "/usr/bin:/bin" },
    stdio: ["ignore", "pipe", "ignore"],
  });
  const [text, code] = await Promise.all([new Response(child.stdout).text(), child.exited]);
  const left = [...new Bun.Glob("*").scanSync({ cwd: folder })].sort();
  return { code, document: JSON.parse(text), isChanged: hashOf(program) !== before, program, left };
}

test("upgrade replaces the executable by the newer one, and --check only tells", async () => {
  publish(newer('{"version":"99.0.0"}'));
  const looked = await upgrade("--check");
  expect(looked.document).toMatchObject({ latest: "99.0.0", available: true, upgraded: false });
  expect(looked.isChanged).toBe(false);
  const { code, document, program, left } = await upgrade();
  expect([code, document]).toMatchObject([0, { latest: "99.0.0", available: true, upgraded: true }]);
  expect(Bun.spawnSync([program, "version"]).stdout.toString()).toBe('{"version":"99.0.0"}\n');
  expect(left).toEqual(["argosy"]);
}, 60_000);

test.each([
  ["a newer one that does not start", () => publish(Buffer.from("no program")), "upgrade_does_not_start"],
  ["one of another version", () => publish(newer('{"version":"98.0.0"}')), "upgrade_does_not_start"],
  [
    "a download that is another file",
    () => publish(newer('{"version":"99.0.0"}'), "99.0.0", newer('{"version":"66.0.0"}')),
    "download_damaged",
  ],
  [
    "a list that another key has signed",
    () => {
      publish(newer('{"version":"99.0.0"}'));
      const other = generateKeyPairSync("ed25519").privateKey;
      const json = Buffer.from(String(page["/dl/release.json"]));
      page = { ...page, "/dl/release.json.sig": sign(null, json, other).toString("base64") };
    },
    "release_not_signed",
  ],
  [
    "a page that is gone",
    () => {
      page = {};
    },
    "release_unreachable",
  ],
] as [string, () => void, string][])(
  "%s changes nothing",
  async (_, prepare, error) => {
    prepare();
    const { code, document, isChanged, left } = await upgrade();
    expect([code, document.error]).toEqual([1, error]);
    expect(isChanged).toBe(false);
    expect(left).toEqual(["argosy"]);
  },
  60_000,
);
