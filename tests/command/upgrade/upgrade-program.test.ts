import { describe, expect, test } from "bun:test";
import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { packagerOf } from "../../../src/command/upgrade/package-manager.ts";
import {
  checkUpgrade,
  type UpgradeParts,
  upgradeProgram,
} from "../../../src/command/upgrade/upgrade-program.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import { temporaryFolder } from "../../support/temp-folder.ts";

const { privateKey, publicKey } = generateKeyPairSync("ed25519");
const key = publicKey.export({ format: "der", type: "spki" }).subarray(-32).toString("base64");
const url = "https://downloads.example/argosy";

interface World {
  version?: string;
  /** The executable of the list, and what the page serves instead. */
  program?: string;
  served?: string;
  listed?: object;
  signer?: KeyObject;
}

/** An installed program of version 1.0.0, and a page with a newer one. A program's content is the version that it answers with. */
function world(given: World = {}) {
  const { version = "1.1.0", listed = {}, signer = privateKey } = given;
  const program = given.program ?? version;
  const served = given.served ?? program;
  const clock = new FakeClock();
  const folder = temporaryFolder();
  const path = join(folder.path, "argosy");
  writeFileSync(path, "1.0.0", { mode: 0o755 });
  const sha256 = new Bun.CryptoHasher("sha256").update(program).digest("hex");
  const list = {
    product: "argosy",
    version,
    files: { "linux-x64": { file: "new.zst", sha256, size: program.length } },
    ...listed,
  };
  const json = JSON.stringify(list);
  const page: Record<string, string | Uint8Array> = {
    "release.json": json,
    "release.json.sig": sign(null, Buffer.from(json), signer).toString("base64"),
    "new.zst": Bun.zstdCompressSync(served),
  };
  const asked: string[] = [];
  const tried: string[] = [];
  const parts: UpgradeParts = {
    source: { target: "linux-x64", url, key },
    version: "1.0.0",
    program: path,
    platform: "linux",
    clock,
    fetch: async (address) => {
      asked.push(address.slice(url.length + 1));
      const content = page[address.slice(url.length + 1)];
      return content === undefined ? new Response("", { status: 404 }) : new Response(content as BodyInit);
    },
    versionOf: async (program) => {
      tried.push(program);
      return readFileSync(program, "utf8");
    },
  };
  const state = () => ({ content: readFileSync(path, "utf8"), files: readdirSync(folder.path).sort() });
  return {
    clock,
    parts,
    page,
    asked,
    tried,
    path,
    state,
    folder,
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

const unchanged = { content: "1.0.0", files: ["argosy"] };

test("the newer executable is tried beside the old one, takes its place, and is tried there", async () => {
  using one = world();
  expect(await upgradeProgram(one.parts)).toEqual({
    program: one.path,
    current: "1.0.0",
    latest: "1.1.0",
    available: true,
    upgraded: true,
  });
  expect(one.tried).toEqual([`${one.path}.new`, one.path]);
  expect(one.state()).toEqual({ content: "1.1.0", files: ["argosy"] });
});

test("a check reads the signed list alone", async () => {
  using one = world();
  expect(await checkUpgrade(one.parts)).toMatchObject({ available: true, upgraded: false });
  expect(one.asked.sort()).toEqual(["release.json", "release.json.sig"]);
  expect(one.state()).toEqual(unchanged);
});

test.each(["1.0.0", "0.9.9", "1.0.0-rc.1"])("version %s is not newer than 1.0.0", async (version) => {
  using one = world({ version });
  expect(await upgradeProgram(one.parts)).toMatchObject({
    latest: version,
    available: false,
    upgraded: false,
  });
  expect(one.state()).toEqual(unchanged);
});

test("what starts beside the old one but not in its place is taken back", async () => {
  using one = world();
  let trials = 0;
  const versionOf = async (program: string) => {
    trials += 1;
    return trials === 1 ? readFileSync(program, "utf8") : undefined;
  };
  await expect(upgradeProgram({ ...one.parts, versionOf })).rejects.toMatchObject({
    code: "upgrade_does_not_start",
  });
  expect(one.state()).toEqual(unchanged);
});

test("on Windows the running file steps aside and stays until the next upgrade", async () => {
  using one = world();
  await upgradeProgram({ ...one.parts, platform: "win32" });
  expect(one.state()).toEqual({ content: "1.1.0", files: ["argosy", "argosy.previous.exe"] });
  using two = world();
  const versionOf = async (program: string) => (program === two.path ? undefined : "1.1.0");
  await expect(upgradeProgram({ ...two.parts, platform: "win32", versionOf })).rejects.toThrow(
    "does not start",
  );
  expect(two.state()).toEqual(unchanged);
});

const other = generateKeyPairSync("ed25519").privateKey;

test.each([
  ["another key's signature", { signer: other }, "release_not_signed"],
  ["a download that is shorter", { served: "1.1" }, "download_damaged"],
  ["a download that is longer", { served: "1.1.0".repeat(100) }, "download_damaged"],
  ["a download with other bytes", { served: "6.6.6" }, "download_damaged"],
  ["an executable of another version", { program: "1.0.5" }, "upgrade_does_not_start"],
  ["a list without this system", { listed: { files: {} } }, "release_lacks_system"],
  ["a list of another product", { listed: { product: "other" } }, "release_damaged"],
  [
    "a list with a path for a name",
    { listed: { files: { "linux-x64": { file: "../x", sha256: "0".repeat(64), size: 1 } } } },
    "release_damaged",
  ],
  ["a list without files", { listed: { files: null } }, "release_damaged"],
  ["a list without a version", { listed: { version: 7 } }, "release_damaged"],
] as [string, World, string][])("%s changes nothing", async (_, given, code) => {
  using one = world(given);
  await expect(upgradeProgram(one.parts)).rejects.toMatchObject({ code });
  expect(one.state()).toEqual(unchanged);
});

test.each([
  ["release.json", undefined, "release_unreachable"],
  ["release.json.sig", undefined, "release_unreachable"],
  ["release.json.sig", "", "release_not_signed"],
  ["release.json.sig", "not base64 !", "release_not_signed"],
  ["release.json", "x".repeat(300_000), "release_unreachable"],
  ["new.zst", undefined, "release_unreachable"],
  ["new.zst", "no zstd", "download_damaged"],
] as [string, string | undefined, string][])("%s with %p changes nothing", async (name, content, code) => {
  using one = world();
  if (content === undefined) delete one.page[name];
  else one.page[name] = content;
  await expect(upgradeProgram(one.parts)).rejects.toMatchObject({ code });
  expect(one.state()).toEqual(unchanged);
});

test("an executable that was built without an address says what to do", async () => {
  using one = world();
  await expect(upgradeProgram({ ...one.parts, source: { target: "linux-x64" } })).rejects.toMatchObject({
    code: "upgrade_not_configured",
  });
});

test.skipIf(process.getuid?.() === 0)(
  "a folder that this user can't write is refused before anything is fetched",
  async () => {
    using one = world();
    chmodSync(one.folder.path, 0o555);
    await expect(upgradeProgram(one.parts)).rejects.toMatchObject({ code: "place_not_writable" });
    chmodSync(one.folder.path, 0o755);
    expect(one.asked).toEqual([]);
  },
);

describe("whose file it is", () => {
  test.each([
    ["/opt/homebrew/Cellar/argosy/1.0.0/bin/argosy", "Homebrew"],
    ["/home/linuxbrew/.linuxbrew/Cellar/argosy/1.0.0/bin/argosy", "Homebrew"],
    ["C:\\Users\\a\\AppData\\Local\\Microsoft\\WinGet\\Packages\\Argosy.Argosy_x\\argosy.exe", "winget"],
    ["C:\\Users\\a\\scoop\\apps\\argosy\\current\\argosy.exe", "Scoop"],
    ["/nix/store/abc-argosy/bin/argosy", "Nix"],
    ["/snap/argosy/1/bin/argosy", "snap"],
    ["/opt/Argosy/resources/bin/argosy", "the desktop app"],
    ["C:\\Users\\a\\AppData\\Local\\Programs\\argosy-desktop\\resources\\bin\\argosy.exe", "the desktop app"],
    ["/usr/bin/argosy", "this system's package manager"],
  ])("%s: %s", (program, name) => {
    expect(packagerOf(program, join(import.meta.dir, "no-such.list"))?.name).toBe(name);
  });

  test.each([
    "/usr/local/bin/argosy",
    "/home/a/.local/bin/argosy",
    "/home/a/argosy",
    "C:\\tools\\argosy.exe",
  ])("%s is the user's own", (program) => {
    expect(packagerOf(program, join(import.meta.dir, "no-such.list"))).toBeUndefined();
  });

  test("a Debian package's list names its files", () => {
    using folder = temporaryFolder();
    const list = join(folder.path, "argosy.list");
    writeFileSync(list, "/.\n/opt/argosy\n");
    expect(packagerOf("/opt/argosy", list)?.name).toBe("a Debian package");
    expect(packagerOf("/opt/argosy2", list)).toBeUndefined();
  });

  test("a package's executable is not replaced", async () => {
    using one = world();
    const program = join(one.folder.path, "resources/bin/argosy");
    mkdirSync(join(one.folder.path, "resources/bin"), { recursive: true });
    writeFileSync(program, "1.0.0");
    await expect(upgradeProgram({ ...one.parts, program })).rejects.toMatchObject({
      code: "installed_by_package",
    });
    expect([one.asked, existsSync(`${program}.new`)]).toEqual([[], false]);
  });
});

test("a page that does not answer is given up after 30 s, a download that stands still after 60 s", async () => {
  using one = world();
  const asked = Promise.withResolvers<void>();
  const hanging =
    (name: string): UpgradeParts["fetch"] =>
    async (address, init) => {
      if (!address.endsWith(name)) return one.parts.fetch(address, init);
      asked.resolve();
      return new Promise((_, reject) =>
        init?.signal?.addEventListener("abort", () => reject(init.signal?.reason)),
      );
    };
  const listing = upgradeProgram({ ...one.parts, fetch: hanging("release.json") }).catch((fault) => fault);
  await asked.promise;
  await one.clock.advance(30_000);
  expect(await listing).toMatchObject({
    code: "release_unreachable",
    message: expect.stringContaining("30 s"),
  });

  using two = world();
  const begun = Promise.withResolvers<void>();
  const stalling: UpgradeParts["fetch"] = async (address, init) => {
    if (!address.endsWith("new.zst")) return two.parts.fetch(address, init);
    begun.resolve();
    return new Response(new ReadableStream());
  };
  const loading = upgradeProgram({ ...two.parts, fetch: stalling }).catch((fault) => fault);
  await begun.promise;
  await two.clock.advance(60_000);
  expect(await loading).toMatchObject({
    code: "release_unreachable",
    message: expect.stringContaining("60 s"),
  });
  expect(two.state()).toEqual(unchanged);
});
