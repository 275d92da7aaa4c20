import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { YAML } from "bun";
import { publishedSource } from "../../../scripts/building/release-source.ts";
import { archiveName, writeArchive } from "../../../scripts/releasing/archives.ts";
import {
  homebrewFormula,
  installScript,
  type PublishFacts,
  wingetManifests,
} from "../../../scripts/releasing/publish-files.ts";
import { chooseTargets, releaseTargets } from "../../../scripts/releasing/targets.ts";
import { readToEnd } from "../../support/read-to-end.ts";
import { temporaryFolder } from "../../support/temp-folder.ts";

const root = join(import.meta.dir, "../../..");

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder[Symbol.dispose]());

const hashOf = (path: string) => new Bun.CryptoHasher("sha256").update(readFileSync(path)).digest("hex");

/** Writes the archive of a system with a program that prints its arguments. */
async function archived(name: string): Promise<string> {
  const executable = join(folder.path, "program");
  writeFileSync(executable, '#!/bin/sh\necho "ran: $*"\n', { mode: 0o755 });
  const [target] = chooseTargets([name]);
  if (target === undefined) throw new Error(name);
  const path = join(folder.path, archiveName("1.2.3", target));
  await writeArchive(path, target, {
    root,
    executable,
    version: "1.2.3",
    licenses: "licences",
    mtime: 1_700_000_000,
  });
  return path;
}

const facts = (archives: Record<string, string>, url = "https://downloads.example/argosy"): PublishFacts => ({
  version: "1.2.3",
  url,
  homepage: "https://argosy.example",
  date: "2026-01-31",
  archives,
});

const everywhere = Object.fromEntries(
  releaseTargets.map(({ name }, at) => [name, `${at}`.repeat(64).slice(0, 64)]),
);

const run = (...command: string[]) => {
  const { stdout, stderr, exitCode } = Bun.spawnSync(command);
  return { code: exitCode, out: stdout.toString(), faults: stderr.toString() };
};

describe("archives", () => {
  test("tar.gz opens with tar, has the executable with its right, and is the same for the same source", async () => {
    const path = await archived("linux-x64");
    const first = hashOf(path);
    expect(hashOf(await archived("linux-x64"))).toBe(first);
    expect(run("tar", "-xzf", path, "-C", folder.path).code).toBe(0);
    const inside = join(folder.path, "argosy-1.2.3-linux-x64");
    expect(run(join(inside, "argosy"), "a").out).toBe("ran: a\n");
    for (const file of [
      "LICENSE",
      "licenses.txt",
      "completions/argosy.bash",
      "completions/_argosy",
      "man/argosy.1",
    ])
      expect([file, statSync(join(inside, file)).size > 0]).toEqual([file, true]);
  });

  const unzip = ["python3", "bsdtar"].find((name) => Bun.which(name) !== null);
  const named = unzip === undefined ? " (no program that reads zip)" : "";
  test.skipIf(unzip === undefined)(`zip opens and has the executable for Windows${named}`, async () => {
    const path = await archived("windows-x64");
    const first = hashOf(path);
    expect(hashOf(await archived("windows-x64"))).toBe(first);
    const opened =
      unzip === "bsdtar"
        ? run("bsdtar", "-xf", path, "-C", folder.path)
        : run(
            "python3",
            "-c",
            `import zipfile; z = zipfile.ZipFile("${path}"); assert z.testzip() is None; z.extractall("${folder.path}")`,
          );
    expect(opened).toMatchObject({ code: 0, faults: "" });
    const inside = join(folder.path, "argosy-1.2.3-windows-x64");
    expect(readFileSync(join(inside, "argosy.exe")).equals(readFileSync(join(folder.path, "program")))).toBe(
      true,
    );
    expect(readFileSync(join(inside, "licenses.txt"), "utf8")).toBe("licences\n");
  });
});

describe("the install script", () => {
  /** Name of this machine's archive. */
  const own = `linux-${process.arch === "arm64" ? "arm64" : "x64"}`;
  const isLinux = process.platform === "linux" && !existsSync("/lib/ld-musl-x86_64.so.1");
  const named = isLinux ? "" : " (Linux with glibc alone)";

  async function install(sum?: string) {
    const archive = await archived(own);
    await using server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: (request) =>
        new URL(request.url).pathname === `/dl/${archiveName("1.2.3", { name: own })}`
          ? new Response(Bun.file(archive))
          : new Response("", { status: 404 }),
    });
    const script = installScript(
      root,
      facts(
        { [own]: sum ?? hashOf(archive), "windows-x64": "0".repeat(64) },
        `http://127.0.0.1:${server.port}/dl`,
      ),
    );
    const temporary = join(folder.path, "temporary");
    mkdirSync(temporary, { recursive: true });
    const child = Bun.spawn(["sh", "-s", "--", "--to", "/somewhere"], {
      stdin: new Blob([script]),
      stdout: "pipe",
      stderr: "pipe",
      env: { PATH: process.env.PATH ?? "", TMPDIR: temporary },
    });
    const { stdout: out, stderr: faults, code } = await readToEnd(child);
    return { code, out, faults, left: [...new Bun.Glob("**").scanSync({ cwd: temporary })] };
  }

  test.skipIf(!isLinux)(`downloads, compares and installs with the arguments${named}`, async () => {
    expect(await install()).toMatchObject({ code: 0, out: "ran: install --to /somewhere\n", left: [] });
  });

  test.skipIf(!isLinux)(`a download with another checksum is not run${named}`, async () => {
    const { code, out, faults, left } = await install("0".repeat(64));
    expect([code, out, left]).toEqual([1, "", []]);
    expect(faults).toContain("should have 000000");
  });

  test("is sound for sh, names every archive for it, and does nothing when it is cut off", () => {
    const text = installScript(root, facts(everywhere));
    const path = join(folder.path, "install.sh");
    writeFileSync(path, text);
    expect(run("sh", "-n", path)).toEqual({ code: 0, out: "", faults: "" });
    expect(text).not.toMatch(/@[A-Z]+@/);
    for (const target of releaseTargets.filter(({ name }) => !name.startsWith("windows")))
      expect(text).toContain(`${everywhere[target.name]}  ${archiveName("1.2.3", target)}`);
    const last = text.lastIndexOf("main");
    writeFileSync(path, text.slice(0, last));
    expect(run("sh", path)).toEqual({ code: 0, out: "", faults: "" });
  });
});

describe("manifests", () => {
  test("Homebrew's formula has the address and the checksum of each archive for it", () => {
    const formula = homebrewFormula(facts(everywhere));
    for (const name of ["darwin-arm64", "darwin-x64", "linux-arm64", "linux-x64"])
      expect(formula).toContain(
        `url "https://downloads.example/argosy/${archiveName("1.2.3", { name })}"\n      sha256 "${everywhere[name]}"`,
      );
    expect(formula.match(/^ *(class|on_\w+ do|def|test do)/gm)?.length).toBe(
      formula.match(/^ *end$/gm)?.length,
    );
    const some = homebrewFormula(facts({ "linux-x64": "0".repeat(64) }));
    expect(some).not.toContain("on_macos");
    expect(some).not.toContain("on_arm");
  });

  const ruby = Bun.which("ruby");
  test.skipIf(ruby === null)(
    `the formula is sound for Ruby${ruby === null ? " (ruby not installed)" : ""}`,
    () => {
      const path = join(folder.path, "argosy.rb");
      writeFileSync(path, homebrewFormula(facts(everywhere)));
      expect(run("ruby", "-c", path).code).toBe(0);
    },
  );

  test("winget's three manifests agree, and there is none without an archive for Windows", () => {
    const files = wingetManifests(facts(everywhere));
    const documents = Object.values(files).map((text) => YAML.parse(text) as Record<string, unknown>);
    expect(documents.map(({ ManifestType }) => ManifestType)).toEqual([
      "version",
      "installer",
      "defaultLocale",
    ]);
    for (const document of documents)
      expect(document).toMatchObject({ PackageIdentifier: "Argosy.Argosy", PackageVersion: "1.2.3" });
    expect(documents[1]).toMatchObject({
      InstallerType: "zip",
      NestedInstallerType: "portable",
      Installers: ["x64", "arm64"].map((arch) => ({
        Architecture: arch,
        InstallerUrl: `https://downloads.example/argosy/argosy-1.2.3-windows-${arch}.zip`,
        InstallerSha256: everywhere[`windows-${arch}`],
        NestedInstallerFiles: [{ RelativeFilePath: `argosy-1.2.3-windows-${arch}\\argosy.exe` }],
      })),
    });
    expect(wingetManifests(facts({ "linux-x64": "0".repeat(64) }))).toEqual({});
  });
});

describe("where executables look for newer ones", () => {
  const key = Buffer.alloc(32, 1).toString("base64");

  test("without variables: nowhere", () => {
    expect(publishedSource({})).toBeUndefined();
  });

  test("an address and a key", () => {
    expect(
      publishedSource({ ARGOSY_RELEASE_URL: "https://downloads.example/a/", ARGOSY_RELEASE_KEY: key }),
    ).toEqual({
      url: "https://downloads.example/a",
      key,
    });
  });

  test.each([
    [{ ARGOSY_RELEASE_KEY: key }, "ARGOSY_RELEASE_URL"],
    [{ ARGOSY_RELEASE_URL: "https://downloads.example" }, "ARGOSY_RELEASE_KEY"],
    [{ ARGOSY_RELEASE_URL: "http://downloads.example", ARGOSY_RELEASE_KEY: key }, "https://"],
    [{ ARGOSY_RELEASE_URL: "https://downloads.example?a=1", ARGOSY_RELEASE_KEY: key }, "ARGOSY_RELEASE_URL"],
    [{ ARGOSY_RELEASE_URL: "https://downloads.example", ARGOSY_RELEASE_KEY: "AAAA" }, "32 bytes"],
  ])("%j is refused", (environment, message) => {
    expect(() => publishedSource(environment)).toThrow(message);
  });

  test("a signing key of another kind, or of another public key, is refused", () => {
    const path = join(folder.path, "key.pem");
    const write = (key: KeyObject) => writeFileSync(path, key.export({ format: "pem", type: "pkcs8" }));
    write(generateKeyPairSync("ed25519").privateKey);
    const ARGOSY_RELEASE_URL = "https://downloads.example";
    const found = publishedSource({ ARGOSY_RELEASE_URL, ARGOSY_SIGNING_KEY: path });
    expect(Buffer.from(found?.key ?? "", "base64")).toHaveLength(32);
    expect(() =>
      publishedSource({ ARGOSY_RELEASE_URL, ARGOSY_SIGNING_KEY: path, ARGOSY_RELEASE_KEY: key }),
    ).toThrow("not the public key");
    write(generateKeyPairSync("x25519").privateKey);
    expect(() => publishedSource({ ARGOSY_RELEASE_URL, ARGOSY_SIGNING_KEY: path })).toThrow("ed25519");
  });
});
