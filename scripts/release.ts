import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import type { ReleasedFile } from "../src/command/upgrade/release-list.ts";
import { bundledPackages } from "./building/bundled-packages.ts";
import { compile } from "./building/compile.ts";
import { currentCommit } from "./building/current-commit.ts";
import { ownTarget } from "./building/lance-package.ts";
import { licenseFile } from "./building/license-file.ts";
import { publishedSource, signingKey } from "./building/release-source.ts";
import { archiveName, writeArchive } from "./releasing/archives.ts";
import { debName, writeDeb } from "./releasing/deb-package.ts";
import { compressDownload, sha256Of, writeSums } from "./releasing/downloads.ts";
import { fetchPackage, type LockEntry } from "./releasing/fetch-package.ts";
import { linkedInBun, linkedInLance } from "./releasing/linked-parts.ts";
import { homebrewFormula, installScript, signedList, wingetManifests } from "./releasing/publish-files.ts";
import { billOfMaterials } from "./releasing/sbom.ts";
import { chooseTargets, executableName, type ReleaseTarget } from "./releasing/targets.ts";

/** Size limit of an executable for x64, in bytes. */
const sizeBytesMax = 195e6;

const root = join(import.meta.dir, "..");
process.chdir(root); // paths in stack traces count from here
const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    out: { type: "string", default: join(root, "dist/release") },
    fast: { type: "boolean", default: false },
    "allow-incomplete": { type: "boolean", default: false },
  },
});
const targets = chooseTargets(positionals);
const level = values.fast ? "fast" : "small";
const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };
const lock = (
  JSON.parse(readFileSync("package-lock.json", "utf8")) as { packages: Record<string, LockEntry> }
).packages;
const { commit, committedAt } = await currentCommit(root);
const own = ownTarget();
const release = values.out;
rmSync(release, { recursive: true, force: true });
mkdirSync(release, { recursive: true });

const published = publishedSource(process.env);
const key = signingKey(process.env);
const maintainer = process.env.ARGOSY_MAINTAINER || "Argosy authors <authors@argosy.invalid>";
const notes: string[] = [];
/** Systems that this release should have, and has not or not completely. */
const lacking: string[] = [];
const archives: Record<string, string> = {};
const files: Record<string, ReleasedFile> = {};
for (const target of targets) await build(target);
await publish();
await writeSums(release);
for (const name of readdirSync(release).sort())
  console.log(`${name.padEnd(40)} ${(statSync(join(release, name)).size / 1e6).toFixed(1)} MB`);
for (const note of notes) console.log(note);
if (lacking.length > 0 && !values["allow-incomplete"]) {
  console.error(`Not complete: ${lacking.join(", ")}. --allow-incomplete accepts that.`);
  process.exitCode = 1;
}

async function build(target: ReleaseTarget): Promise<void> {
  const runtime = await fetched(target.runtime);
  if (typeof runtime === "string") {
    notes.push(`${target.name}: not built, ${runtime}`);
    lacking.push(target.name);
    return;
  }
  const addon =
    target.addon === undefined ? `LanceDB has no addon for ${target.name}` : await fetched(target.addon);
  const executable = join(release, executableName(version, target));
  const program = ["bin/bun", "bin/bun.exe"]
    .map((path) => join(runtime.folder, path))
    .find((path) => existsSync(path));
  if (program === undefined) throw new Error(`${target.runtime} has no runtime in bin/.`);
  await compile({
    outfile: executable,
    target: target.compile as never,
    // This machine's own runtime is the one that runs.
    ...(target.compile === own ? {} : { runtime: program }),
    ...(typeof addon === "string" ? {} : { addonFolder: addon.folder }),
    commit,
    published,
    level,
  });
  chmodSync(executable, 0o755);
  if (typeof addon === "string") {
    notes.push(`${target.name}: built without LanceDB, ${addon}`);
    if (target.addon !== undefined) lacking.push(target.name);
  }
  const { size } = statSync(executable);
  if (
    target.name.includes("x64") &&
    !target.name.startsWith("windows") &&
    level === "small" &&
    size > sizeBytesMax
  )
    throw new Error(
      `${executable} has ${(size / 1e6).toFixed(1)} MB and may have ${sizeBytesMax / 1e6}: see what has grown.`,
    );
  await compressDownload(executable, level);
  files[target.name] = { file: `${basename(executable)}.zst`, sha256: await sha256Of(executable), size };
  const packages = await bundledPackages(
    root,
    typeof addon === "string" ? undefined : target.addon,
    typeof addon === "string" ? undefined : addon.folder,
  );
  const sbom = billOfMaterials({
    version,
    bunVersion: Bun.version,
    builtFrom: committedAt,
    packages,
    linked: { inBun: linkedInBun(process.versions), inLance: linkedInLance(root) },
    lock,
  });
  await Bun.write(
    join(release, `argosy-${version}-${target.name}.cdx.json`),
    `${JSON.stringify(sbom, null, 2)}\n`,
  );
  const licenses = licenseFile(root, packages, Bun.version);
  await Bun.write(join(release, `argosy-${version}-${target.name}.licenses.txt`), licenses);
  const facts = { root, executable, version, licenses, mtime: committedAt };
  const archive = join(release, archiveName(version, target));
  await writeArchive(archive, target, facts);
  archives[target.name] = await sha256Of(archive);
  if (target.debian === undefined) return;
  const deb = { ...facts, architecture: target.debian, maintainer };
  await writeDeb(join(release, debName(deb)), deb);
}

/** Writes what a download page needs beside the executables: it names the address that the files will have. */
async function publish(): Promise<void> {
  if (published === undefined) {
    notes.push(
      "ARGOSY_RELEASE_URL is not set: no install script, no manifests, and executables do not upgrade themselves",
    );
    return;
  }
  const facts = {
    version,
    url: published.url,
    homepage: process.env.ARGOSY_HOMEPAGE || published.url,
    date: new Date(committedAt * 1000).toISOString().slice(0, 10),
    archives,
  };
  const texts: Record<string, string> = {
    "install.sh": installScript(root, facts),
    "argosy.rb": homebrewFormula(facts),
    ...wingetManifests(facts),
  };
  if (key === undefined)
    notes.push("ARGOSY_SIGNING_KEY is not set: release.json is missing, which `argosy upgrade` reads");
  else {
    const { json, signature } = signedList({ product: "argosy", version, files }, key);
    Object.assign(texts, { "release.json": json, "release.json.sig": signature });
  }
  for (const [name, text] of Object.entries(texts)) await Bun.write(join(release, name), text);
}

const fetched = (name: string) => fetchPackage(root, name, lock[`node_modules/${name}`]);
