import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { bundledPackages, licenseTexts } from "../../../scripts/building/bundled-packages.ts";
import { licenseFile } from "../../../scripts/building/license-file.ts";
import { debName, writeDeb } from "../../../scripts/releasing/deb-package.ts";
import { compressDownload, writeSums } from "../../../scripts/releasing/downloads.ts";
import { type Download, fetchPackage } from "../../../scripts/releasing/fetch-package.ts";
import { linkedInBun, linkedInLance } from "../../../scripts/releasing/linked-parts.ts";
import { billOfMaterials } from "../../../scripts/releasing/sbom.ts";
import { chooseTargets, executableName, releaseTargets } from "../../../scripts/releasing/targets.ts";
import { temporaryFolder } from "../../support/temp-folder.ts";

const root = join(import.meta.dir, "../../..");
const lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")).packages;

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder[Symbol.dispose]());

describe("targets", () => {
  test.each([
    ["linux-x64", "@oven/bun-linux-x64", "@lancedb/lancedb-linux-x64-gnu", "argosy-1.0.0-linux-x64"],
    [
      "linux-x64-musl",
      "@oven/bun-linux-x64-musl",
      "@lancedb/lancedb-linux-x64-musl",
      "argosy-1.0.0-linux-x64-musl",
    ],
    [
      "bun-linux-arm64",
      "@oven/bun-linux-aarch64",
      "@lancedb/lancedb-linux-arm64-gnu",
      "argosy-1.0.0-linux-arm64",
    ],
    [
      "linux-arm64-musl",
      "@oven/bun-linux-aarch64-musl",
      "@lancedb/lancedb-linux-arm64-musl",
      "argosy-1.0.0-linux-arm64-musl",
    ],
    [
      "darwin-arm64",
      "@oven/bun-darwin-aarch64",
      "@lancedb/lancedb-darwin-arm64",
      "argosy-1.0.0-darwin-arm64",
    ],
    ["darwin-x64", "@oven/bun-darwin-x64", undefined, "argosy-1.0.0-darwin-x64"],
    [
      "windows-x64",
      "@oven/bun-windows-x64",
      "@lancedb/lancedb-win32-x64-msvc",
      "argosy-1.0.0-windows-x64.exe",
    ],
    [
      "windows-arm64",
      "@oven/bun-windows-aarch64",
      "@lancedb/lancedb-win32-arm64-msvc",
      "argosy-1.0.0-windows-arm64.exe",
    ],
  ])("%s has its runtime, addon and file name", (name, runtime, addon, file) => {
    const [target] = chooseTargets([name]);
    expect(target).toMatchObject({ runtime, addon: addon as string });
    expect(executableName("1.0.0", target as never)).toBe(file);
  });

  test("package-lock.json names the runtime and the addon of each, in the versions of this source", () => {
    for (const { runtime, addon } of releaseTargets) {
      expect(lock[`node_modules/${runtime}`]?.version).toBe(Bun.version);
      expect(lock[`node_modules/${runtime}`]?.integrity).toStartWith("sha512-");
      if (addon !== undefined)
        expect(lock[`node_modules/${addon}`]?.version).toBe(lock["node_modules/@lancedb/lancedb"].version);
    }
  });

  test("an unknown one is an error with the known ones", () => {
    expect(() => chooseTargets(["linux-riscv64"])).toThrow(/linux-riscv64.*linux-x64, linux-x64-musl/);
    expect(chooseTargets([])).toEqual(releaseTargets);
  });
});

describe("packages of other systems", () => {
  /** A registry that has one package, and the checksum of it. */
  const registry = (made: { calls: string[] }): { download: Download; integrity: string } => {
    mkdirSync(join(folder.path, "package"), { recursive: true });
    const about = { name: "@x/part", version: "1.0.0" };
    writeFileSync(join(folder.path, "package/package.json"), JSON.stringify(about));
    const archive = join(folder.path, "part.tgz");
    Bun.spawnSync(["tar", "-czf", archive, "-C", folder.path, "package"]);
    const sum = new Bun.CryptoHasher("sha512").update(readFileSync(archive)).digest("base64");
    return {
      integrity: `sha512-${sum}`,
      download: (spec, place) => {
        made.calls.push(spec);
        if (!spec.startsWith("@x/part@"))
          return { ok: false, reason: `the registry does not have ${spec} (E404)` };
        cpSync(archive, join(place, "part.tgz"));
        return { ok: true, reason: "" };
      },
    };
  };

  test("a download is kept and fetched once", async () => {
    const made = { calls: [] as string[] };
    const { download, integrity } = registry(made);
    const entry = { version: "1.0.0", integrity };
    const first = await fetchPackage(folder.path, "@x/part", entry, download);
    const second = await fetchPackage(folder.path, "@x/part", entry, download);
    expect(second).toEqual(first);
    expect(made.calls).toEqual(["@x/part@1.0.0"]);
    expect(readdirSync(join(folder.path, ".cache/packages"))).toEqual(["@x-part-1.0.0"]);
  });

  test("a download that differs from package-lock.json is an error and is not kept", async () => {
    const entry = { version: "1.0.0", integrity: "sha512-AAAA" };
    const { download } = registry({ calls: [] });
    await expect(fetchPackage(folder.path, "@x/part", entry, download)).rejects.toThrow(
      /checksum sha512-.*package-lock\.json says sha512-AAAA/,
    );
    expect(readdirSync(join(folder.path, ".cache/packages"))).toEqual([]);
  });

  test("a package without a checksum in package-lock.json is not asked for", async () => {
    const made = { calls: [] as string[] };
    const { download } = registry(made);
    expect(await fetchPackage(folder.path, "@x/part", { version: "1.0.0" }, download)).toBe(
      "package-lock.json has no checksum of @x/part@1.0.0",
    );
    expect(made.calls).toEqual([]);
  });

  test("a package that the registry lacks is a reason, and a package outside the lockfile is not asked for", async () => {
    const made = { calls: [] as string[] };
    const { download, integrity } = registry(made);
    expect(await fetchPackage(folder.path, "@x/other", { version: "2.0.0", integrity }, download)).toBe(
      "the registry does not have @x/other@2.0.0 (E404)",
    );
    expect(await fetchPackage(folder.path, "@x/unknown", undefined, download)).toBe(
      "package-lock.json does not name @x/unknown",
    );
    expect(made.calls).toEqual(["@x/other@2.0.0"]);
  });
});

describe("bill of materials and licences", () => {
  const packages = bundledPackages(root, "@lancedb/lancedb-linux-x64-gnu");
  const facts = async () => ({
    version: "1.0.0",
    bunVersion: Bun.version,
    builtFrom: 1_700_000_000,
    packages: await packages,
    linked: { inBun: linkedInBun(process.versions), inLance: linkedInLance(root) },
    lock,
  });

  test("they have what is bundled, and nothing that only builds or tests", async () => {
    const names = new Set((await packages).map(({ name }) => name));
    for (const name of ["elysia", "react", "@mantine/core", "unpdf", "@lancedb/lancedb", "onnxruntime-web"])
      expect([name, names.has(name)]).toEqual([name, true]);
    for (const name of [
      "typescript",
      "fast-check",
      "playwright-core",
      "openai",
      "drizzle-kit",
      "@biomejs/biome",
      "axe-core",
    ])
      expect([name, names.has(name)]).toEqual([name, false]);
  });

  test("the same source gives the same document; each part has a licence, a unique reference and the checksum that the lockfile has", async () => {
    // biome-ignore lint/suspicious/noExplicitAny: a JSON document, looked into by path.
    const bill = billOfMaterials(await facts()) as any;
    expect(billOfMaterials(await facts())).toEqual(bill);
    expect(bill).toMatchObject({ bomFormat: "CycloneDX", specVersion: "1.6", version: 1 });
    expect(bill.serialNumber).toMatch(
      /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/,
    );
    const references = bill.components.map((each: Record<string, string>) => each["bom-ref"]);
    expect(new Set(references).size).toBe(references.length);
    expect(bill.components.filter((each: object) => "hashes" in each).length).toBeGreaterThan(100);
    expect(bill.dependencies.flatMap((each: { dependsOn: string[] }) => each.dependsOn)).toEqual(references);
    const sums = new Set(Object.values<{ integrity?: string }>(lock).map(({ integrity }) => integrity));
    for (const { name, licenses, hashes, purl } of bill.components) {
      expect([name, licenses[0].license?.name]).toEqual([name, undefined]);
      for (const { content } of hashes ?? [])
        expect(sums).toContain(`sha512-${Buffer.from(content, "hex").toString("base64")}`);
      expect(purl).toMatch(/^pkg:(npm|cargo|github|generic)\//);
    }
  });

  test("what Bun and LanceDB link is under them, and a library of Bun that is not known stops the release", async () => {
    // biome-ignore lint/suspicious/noExplicitAny: a JSON document, looked into by path.
    const bill = billOfMaterials(await facts()) as any;
    const under = (start: string): string[] =>
      bill.dependencies.find(({ ref }: { ref: string }) => ref.startsWith(start)).dependsOn;
    for (const part of ["pkg:github/oven-sh/webkit@", "pkg:generic/sqlite@3.", "pkg:github/unicode-org/icu@"])
      expect(under("pkg:npm/bun@").some((each) => each.startsWith(part))).toBe(true);
    expect(under("pkg:npm/%40lancedb/lancedb-linux").length).toBeGreaterThan(300);
    expect(under("pkg:npm/%40lancedb/lancedb-linux").every((each) => each.startsWith("pkg:cargo/"))).toBe(
      true,
    );
    expect(() => linkedInBun({ bun: "1.4.5", newlib: "1" })).toThrow(/Bun links newlib/);
  });

  test("every package has its licence in the file, or its terms where it has no text", async () => {
    const text = licenseFile(root, await packages, Bun.version);
    for (const bundled of await packages) {
      expect(text).toContain(`\n${bundled.name} ${bundled.version}\n`);
      for (const { text: own } of licenseTexts(root, bundled)) expect(text).toContain(own.slice(0, 200));
    }
    expect(text).toContain("Apache License");
    expect(text).not.toMatch(/<(li|pre|html|style)\b/);
  });
});

test("a download unpacks to the same bytes, and SHA256SUMS covers every file", async () => {
  const file = join(folder.path, "argosy");
  writeFileSync(file, "program".repeat(10_000));
  await compressDownload(file, "fast");
  await writeSums(folder.path);
  expect(Bun.zstdDecompressSync(readFileSync(`${file}.zst`))).toEqual(readFileSync(file));
  const checked = Bun.spawnSync(["sha256sum", "--strict", "-c", "SHA256SUMS"], { cwd: folder.path });
  expect(checked.stdout.toString()).toBe("argosy: OK\nargosy.zst: OK\n");
});

describe("the Debian package", () => {
  const facts = () => {
    const executable = join(folder.path, "program");
    cpSync("/bin/true", executable);
    return {
      root,
      executable,
      architecture: "amd64" as const,
      version: "1.2.3",
      licenses: "text",
      maintainer: "Jo Doe <jo@argosy.invalid>",
      mtime: 1_700_000_001,
    };
  };
  const written = async () => {
    const path = join(folder.path, debName(facts()));
    await writeDeb(path, facts());
    return path;
  };
  const run = (...command: string[]) => {
    const { stdout, stderr, exitCode } = Bun.spawnSync(command);
    return { code: exitCode, out: stdout.toString(), faults: stderr.toString() };
  };

  test("is the same for the same source", async () => {
    const [first, second] = [readFileSync(await written()), readFileSync(await written())];
    expect(first.equals(second)).toBe(true);
    expect(existsSync(join(folder.path, "argosy_1.2.3_amd64.deb.data"))).toBe(false);
  });

  const dpkg = Bun.which("dpkg");
  const named = dpkg === null ? " (dpkg not installed)" : "";
  test.skipIf(dpkg === null)(`dpkg reads its facts and contents${named}`, async () => {
    const path = await written();
    const info = run("dpkg-deb", "--info", path);
    expect(info).toMatchObject({ code: 0, faults: "" });
    for (const line of ["Package: argosy", "Version: 1.2.3", "Architecture: amd64"])
      expect(info.out).toContain(line);
    const contents = run("dpkg-deb", "--contents", path).out;
    expect(contents).toMatch(/^-rwxr-xr-x (0\/0|root\/root) .* \.\/usr\/bin\/argosy$/m);
    expect(contents).toMatch(/^-rw------- .* \.\/etc\/argosy\/environment$/m);
  });

  test.skipIf(dpkg === null)(
    `dpkg unpacks it into a system, with files that match their sums${named}`,
    async () => {
      const path = await written();
      const system = join(folder.path, "system");
      mkdirSync(join(system, "var/lib/dpkg/updates"), { recursive: true });
      mkdirSync(join(system, "var/lib/dpkg/info"));
      for (const file of ["status", "available"]) writeFileSync(join(system, "var/lib/dpkg", file), "");
      const force = "--force-depends,architecture,not-root";
      expect(run("dpkg", `--root=${system}`, force, "--unpack", path)).toMatchObject({ code: 0 });
      const sums = join(system, "var/lib/dpkg/info/argosy.md5sums");
      expect(run("sh", "-c", `cd ${system} && grep -v etc/ ${sums} | md5sum --strict -c`)).toMatchObject({
        code: 0,
      });
      expect(run(join(system, "usr/bin/argosy")).code).toBe(0);
      expect(statSync(join(system, "usr/bin/argosy")).mode & 0o777).toBe(0o755);
      const unit = readFileSync(join(system, "usr/lib/systemd/system/argosy.service"), "utf8");
      expect(unit).toContain("ExecStart=/usr/bin/argosy serve");
      expect(unit).not.toContain("/usr/local");
    },
  );

  test.skipIf(dpkg === null)(`its scripts are valid for sh${named}`, async () => {
    const control = join(folder.path, "control");
    run("dpkg-deb", "-e", await written(), control);
    for (const script of ["postinst", "prerm", "postrm"]) {
      expect(run("sh", "-n", join(control, script))).toEqual({ code: 0, out: "", faults: "" });
      expect(statSync(join(control, script)).mode & 0o777).toBe(0o755);
    }
  });

  const lintian = Bun.which("lintian");
  const linted = lintian === null ? " (lintian not installed)" : "";
  test.skipIf(lintian === null)(`lintian finds no error and nothing to warn of${linted}`, async () => {
    const path = await written();
    const found = run("lintian", "--allow-root", "--fail-on", "error,warning", path);
    expect(found).toMatchObject({ code: 0 });
  });
});
