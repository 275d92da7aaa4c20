import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { bundledPackages } from "./building/bundled-packages.ts";
import { compile } from "./building/compile.ts";
import { currentCommit } from "./building/current-commit.ts";
import { ownTarget } from "./building/lance-package.ts";
import { licenseFile } from "./building/license-file.ts";
import { debName, writeDeb } from "./releasing/deb-package.ts";
import { compressDownload, writeSums } from "./releasing/downloads.ts";
import { fetchPackage, type LockEntry } from "./releasing/fetch-package.ts";
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

const notes: string[] = [];
for (const target of targets) await build(target);
await writeSums(release);
for (const name of readdirSync(release).sort())
  console.log(`${name.padEnd(40)} ${(statSync(join(release, name)).size / 1e6).toFixed(1)} MB`);
for (const note of notes) console.log(note);

async function build(target: ReleaseTarget): Promise<void> {
  const runtime = await fetched(target.runtime);
  if (typeof runtime === "string") {
    notes.push(`${target.name}: not built, ${runtime}`);
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
    level,
  });
  chmodSync(executable, 0o755);
  if (typeof addon === "string") notes.push(`${target.name}: built without LanceDB, ${addon}`);
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
  const packages = await bundledPackages(
    root,
    typeof addon === "string" ? undefined : target.addon,
    typeof addon === "string" ? undefined : addon.folder,
  );
  const sbom = billOfMaterials({ version, bunVersion: Bun.version, builtFrom: committedAt, packages, lock });
  await Bun.write(
    join(release, `argosy-${version}-${target.name}.cdx.json`),
    `${JSON.stringify(sbom, null, 2)}\n`,
  );
  const licenses = licenseFile(root, packages, Bun.version);
  await Bun.write(join(release, `argosy-${version}-${target.name}.licenses.txt`), licenses);
  if (target.debian === undefined) return;
  const deb = { root, executable, architecture: target.debian, version, licenses, mtime: committedAt };
  await writeDeb(join(release, debName(deb)), deb);
}

async function fetched(name: string) {
  const found = await fetchPackage(root, name, lock[`node_modules/${name}`]);
  if (typeof found !== "string" && !found.isVerified)
    notes.push(`${name}: package-lock.json has no checksum, so the download was not verified`);
  return found;
}
