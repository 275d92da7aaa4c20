/*
 * Installs one of the package sets (`node scripts/installing/install.mjs run`) as package-lock.json names it. npm fetches Bun; Bun,
 * which is several times as fast, fetches the rest, and npm does where Bun fails (a registry that only npm's settings know).
 * No install script runs. The new node_modules takes the place of the old one when it is complete.
 */
import { spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { ownMachine, packageSet, setNames } from "./package-set.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "../..");
const cache = join(root, ".cache");
const bun = join(cache, "bun/node_modules/bun/bin/bun.exe"); // the name npm gives it on every system
const read = (path) => JSON.parse(readFileSync(path, "utf8"));
const manifest = read(join(root, "package.json"));
const lock = read(join(root, "package-lock.json"));

const set = process.argv[2] ?? "";
if (!setNames.includes(set))
  throw new Error(`There is no package set ${set}: name one of ${setNames.join(", ")}.`);
try {
  installBun();
  if (set !== "bun") installPackages();
} catch (thrown) {
  process.stderr.write(`scripts/setup: ${thrown.message}\n`);
  process.exitCode = 1;
}

/** Bun's npm package holds a placeholder; its install script, which is ours to call, puts the platform's binary in its place. */
function installBun() {
  const wanted = manifest.devDependencies.bun;
  if (versionOf(bun) === wanted) return;
  const folder = prepareFolder("bun", "bun");
  npm(folder);
  spawnSync(process.execPath, [join(folder, "node_modules/bun/install.js")], { stdio: "ignore" });
  const builds = join(folder, "node_modules/@oven");
  for (const name of versionOf(bun) === wanted || !existsSync(builds) ? [] : readdirSync(builds)) {
    const binary = join(builds, name, "bin/bun");
    if (versionOf(binary) !== wanted) continue;
    copyFileSync(binary, bun);
    chmodSync(bun, 0o755);
  }
  if (versionOf(bun) !== wanted)
    throw new Error(
      `Bun ${wanted} does not start on this machine (${process.platform} ${process.arch}). Is there a build of it for this system?`,
    );
}

function versionOf(binary) {
  return spawnSync(binary, ["--version"], { encoding: "utf8" }).stdout?.trim();
}

function installPackages() {
  const folder = prepareFolder(`packages-${process.pid}`, set);
  const { status, stderr } = spawnSync(
    bun,
    ["install", "--ignore-scripts", "--no-save", "--no-progress", "--no-summary", "--linker=hoisted"],
    {
      cwd: folder,
      encoding: "utf8",
      // Inside the folder that goes when all is done: it would take as much space as node_modules, and save seconds.
      env: { BUN_INSTALL_CACHE_DIR: join(folder, "cache"), ...process.env },
    },
  );
  if (status !== 0 || !isComplete(folder)) {
    process.stderr.write(`${stderr}\nBun could not install the packages; npm tries.\n`);
    npm(folder);
  }
  if (!isComplete(folder)) throw new Error("Packages that package-lock.json names are missing after npm ci.");
  const modules = join(folder, "node_modules");
  mkdirSync(join(modules, ".bin"), { recursive: true });
  for (const name of ["bun", "bunx"])
    symlinkSync(join("../..", relative(root, bun)), join(modules, ".bin", name));
  copyFileSync(join(root, "package-lock.json"), join(modules, ".argosy-lock"));
  writeFileSync(join(modules, ".argosy-set"), `${set}\n`);
  const old = join(cache, `old-modules-${process.pid}`);
  replaceModules(modules, old);
  // Some 30,000 files, which the caller need not wait for.
  spawn("rm", ["-rf", old, folder], { detached: true, stdio: "ignore" }).unref();
}

/** An empty folder with what the set needs of package.json and the lockfile. */
function prepareFolder(name, wanted) {
  const folder = join(cache, name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const part = packageSet(manifest, lock, wanted, ownMachine());
  writeFileSync(join(folder, "package.json"), JSON.stringify(part.manifest, null, 2));
  writeFileSync(join(folder, "package-lock.json"), JSON.stringify(part.lock, null, 2));
  return folder;
}

function npm(folder) {
  const quiet = ["--no-audit", "--no-fund", "--loglevel=error", "--no-update-notifier"];
  const { status } = spawnSync("npm", ["ci", "--ignore-scripts", ...quiet], {
    cwd: folder,
    stdio: ["ignore", "ignore", "inherit"],
  });
  if (status !== 0)
    throw new Error(
      "npm ci failed. Its message stands above; a network or registry error is the usual cause.",
    );
}

/** Each package of the set is there in a version that the lockfile names; one system's build may be missing from a registry. */
function isComplete(folder) {
  const { packages } = read(join(folder, "package-lock.json"));
  const versions = new Map();
  for (const [path, { version, optional }] of Object.entries(packages)) {
    const name = path.slice(path.lastIndexOf("node_modules/"));
    const known = versions.get(name) ?? { optional: true, allowed: [] };
    versions.set(name, {
      optional: known.optional && optional === true,
      allowed: [...known.allowed, version],
    });
  }
  return [...versions].every(([name, { optional, allowed }]) => {
    const found = join(folder, name, "package.json");
    return existsSync(found) ? allowed.includes(read(found).version) : optional;
  });
}

/** Programs that run find each package before and after; a node_modules that is a mount can't be renamed and is filled anew. */
function replaceModules(modules, old) {
  const place = join(root, "node_modules");
  try {
    if (existsSync(place)) renameSync(place, old);
    renameSync(modules, place);
  } catch {
    mkdirSync(place, { recursive: true });
    for (const name of readdirSync(place)) rmSync(join(place, name), { recursive: true, force: true });
    cpSync(modules, place, { recursive: true, verbatimSymlinks: true });
  }
}
