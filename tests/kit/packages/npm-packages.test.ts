import { afterEach, expect, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { AppError } from "../../../src/kit/app-error.ts";
import { silentLogger } from "../../../src/kit/log.ts";
import { createNpmPackages, type NpmPackage } from "../../../src/kit/packages/npm-packages.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import { temporaryFolder } from "../../support/temp-folder.ts";

const program = "module.exports = 1;\n";
const digest = new Bun.CryptoHasher("sha256").update(program).digest("hex");
const wanted: NpmPackage = {
  name: "@scope/reader",
  version: "2.0.0",
  files: [{ path: "lib/main.js", sha256: digest }, { path: "data.gz" }],
};
const { signal } = new AbortController();

const packedOf = async (files: Record<string, string>) =>
  (await new Bun.Archive(
    Object.fromEntries(Object.entries(files).map(([path, content]) => [`package/${path}`, content])),
    { compress: "gzip" },
  ).bytes()) as Uint8Array<ArrayBuffer>;

const content = {
  "package.json": "{}",
  LICENSE: "free",
  "lib/main.js": program,
  "data.gz": "data",
  "setup.sh": "x",
};

interface Registry {
  packed: Uint8Array<ArrayBuffer>;
  tarball?: string;
  integrity?: string;
  answer?: (url: string) => Response | undefined;
}

/** Packages in two folders, and the addresses that the registry was asked for. */
async function packagesIn(folder: string, change: Partial<Registry> = {}) {
  const packed = change.packed ?? (await packedOf(content));
  const asked: string[] = [];
  const clock = new FakeClock();
  const tarball = change.tarball ?? "https://registry.example/reader.tgz";
  const integrity =
    change.integrity ?? `sha512-${new Bun.CryptoHasher("sha512").update(packed).digest("base64")}`;
  const packages = createNpmPackages({
    folders: [
      { path: join(folder, "shared"), isShared: true },
      { path: join(folder, "own"), isShared: false },
    ],
    registry: "https://registry.example",
    clock,
    log: silentLogger,
    async fetch(url) {
      asked.push(url);
      const other = change.answer?.(url);
      if (other !== undefined) return other;
      return url === tarball ? new Response(packed) : Response.json({ dist: { tarball, integrity } });
    },
  });
  return { packages, asked, clock };
}

const faultOf = (work: Promise<unknown>) =>
  work.then(
    () => "installed",
    (thrown) => (thrown instanceof AppError ? `${thrown.status} ${thrown.code}: ${thrown.message}` : thrown),
  );

const inside = (folder: string, path = "") => join(folder, "node_modules/@scope/reader", path);

let folder: ReturnType<typeof temporaryFolder>;
afterEach(() => folder[Symbol.dispose]());

test("a package is installed once for all that want it, with the files that are used and its licence", async () => {
  folder = temporaryFolder();
  const { packages, asked } = await packagesIn(folder.path);
  expect(await packages.find(wanted)).toBeUndefined();
  const shared = join(folder.path, "shared");
  expect(await Promise.all([packages.install(wanted, signal), packages.install(wanted, signal)])).toEqual([
    inside(shared),
    inside(shared),
  ]);
  expect(asked).toEqual([
    "https://registry.example/@scope%2freader/2.0.0",
    "https://registry.example/reader.tgz",
  ]);
  expect(readdirSync(inside(shared)).sort()).toEqual(["LICENSE", "data.gz", "lib", "package.json"]);
  expect(readdirSync(join(shared, "node_modules/@scope"))).toEqual(["reader"]);
  expect(await packages.find(wanted)).toBe(inside(shared));
  expect(await packages.install(wanted, signal)).toBe(inside(shared));
  expect(asked).toHaveLength(2);
});

test("a package whose program was exchanged is not used, and installed again", async () => {
  folder = temporaryFolder();
  const own = join(folder.path, "shared");
  mkdirSync(inside(own, "lib"), { recursive: true });
  writeFileSync(inside(own, "data.gz"), "data");
  writeFileSync(inside(own, "lib/main.js"), program.replace("1", "2"));
  const { packages } = await packagesIn(folder.path);
  expect(await packages.find(wanted)).toBeUndefined();
  await packages.install(wanted, signal);
  expect(readFileSync(inside(own, "lib/main.js"), "utf8")).toBe(program);
});

test("a shared folder that others can write to is left for the own one", async () => {
  folder = temporaryFolder();
  const shared = join(folder.path, "shared/node_modules/@scope");
  mkdirSync(shared, { recursive: true });
  chmodSync(shared, 0o777);
  const { packages } = await packagesIn(folder.path);
  expect(await packages.install(wanted, signal)).toBe(inside(join(folder.path, "own")));
});

test.each<[string, Partial<Registry> | Promise<Partial<Registry>>, RegExp]>([
  ["a damaged download", { integrity: "sha512-AAAA" }, /the download is damaged\.$/],
  ["a package without digest", { integrity: "" }, /the download is damaged\.$/],
  [
    "a program that is not the known one",
    packedOf({ ...content, "lib/main.js": "other" }).then((packed) => ({ packed })),
    /lib\/main\.js of the package is not the known one/,
  ],
  [
    "a package without a file that is used",
    packedOf({ "package.json": "{}" }).then((packed) => ({ packed })),
    /the package has no lib\/main\.js/,
  ],
  ["a download that is no package", { packed: new TextEncoder().encode("<html>") }, /failed: /],
  [
    "a file of another server",
    { tarball: "https://elsewhere.example/reader.tgz" },
    /the registry names a file of another server/,
  ],
  [
    "an unknown package",
    { answer: () => new Response("", { status: 404 }) },
    /the registry has no such package/,
  ],
  ["a registry that fails", { answer: () => new Response("", { status: 500 }) }, /the registry answered 500/],
  [
    "a registry that redirects",
    { answer: () => new Response("", { status: 302 }) },
    /the registry answered 302/,
  ],
  ["a description that is no JSON", { answer: () => new Response("<html>") }, /failed: /],
])("%s is 503, and nothing is written", async (_, change, message) => {
  folder = temporaryFolder();
  const { packages } = await packagesIn(folder.path, await change);
  const fault = await faultOf(packages.install(wanted, signal));
  expect(fault).toMatch(/^503 package_unavailable: The package @scope\/reader@2\.0\.0 is not installed/);
  expect(fault).toMatch(message);
  expect(existsSync(inside(join(folder.path, "shared")))).toBe(false);
  expect(existsSync(inside(join(folder.path, "own")))).toBe(false);
});

test("a failure is repeated for a minute without asking, then the registry is asked again", async () => {
  folder = temporaryFolder();
  let isAway = true;
  const { packages, asked, clock } = await packagesIn(folder.path, {
    answer: () => (isAway ? new Response("", { status: 503 }) : undefined),
  });
  const first = await faultOf(packages.install(wanted, signal));
  isAway = false;
  expect(await faultOf(packages.install(wanted, signal))).toBe(first as string);
  expect(asked).toHaveLength(1);
  await clock.advance(60_000);
  expect(await faultOf(packages.install(wanted, signal))).toBe("installed");
});

test("a registry that doesn't answer is given up after 20 seconds; a caller who leaves doesn't end it for others", async () => {
  folder = temporaryFolder();
  const clock = new FakeClock();
  const asked = Promise.withResolvers<void>();
  const packages = createNpmPackages({
    folders: [{ path: folder.path, isShared: false }],
    clock,
    log: silentLogger,
    fetch: (_, init) =>
      new Promise((_resolve, reject) => {
        asked.resolve();
        init.signal?.addEventListener("abort", () => reject(init.signal?.reason));
      }),
  });
  const leaving = new AbortController();
  const first = faultOf(packages.install(wanted, leaving.signal));
  const second = faultOf(packages.install(wanted, signal));
  leaving.abort(new Error("left"));
  expect(await first).toMatchObject({ message: "left" });
  await asked.promise;
  await clock.advance(20_000);
  expect(await second).toMatch(/the registry doesn't answer/);
});
