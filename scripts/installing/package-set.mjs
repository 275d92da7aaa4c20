/**
 * @typedef {{ version: string, dev?: boolean, devOptional?: boolean, optional?: boolean, os?: string[], cpu?: string[],
 *   libc?: string[], dependencies?: Record<string, string>, optionalDependencies?: Record<string, string>,
 *   peerDependencies?: Record<string, string>, peerDependenciesMeta?: Record<string, { optional?: boolean }> }} Entry
 * @typedef {{ os: string, cpu: string, libc: string | undefined }} Machine
 */

/**
 * Package sets, each with all of the one before: `bun` runs everything else, `run` is what serving needs, `engines` adds what
 * serving loads at the first use (LanceDB, ONNX Runtime), `all` adds what building and testing need.
 */
export const setNames = ["bun", "run", "engines", "all"];

/**
 * The part of package.json and package-lock.json that a set needs on one machine. Versions and integrity stay as they are; packages
 * for other systems and optional peers are left out.
 */
export function packageSet(manifest, lock, set, machine) {
  const packages = lock.packages;
  const roots = rootsOf(manifest, set);
  const paths = reachable(packages, Object.keys(roots), machine);
  const kept = Object.fromEntries([...paths].sort().map((path) => [path, reduced(packages, path, paths)]));
  const { name, version } = manifest;
  const own = { name, version, dependencies: roots };
  return {
    manifest: { ...own, private: true, overrides: withVersions(manifest) },
    lock: { ...lock, packages: { "": own, ...kept } },
  };
}

function rootsOf({ dependencies, optionalDependencies = {}, devDependencies }, set) {
  const { bun, ...development } = devDependencies;
  if (set === "bun") return { bun };
  if (set === "run") return { ...dependencies };
  const engines = { ...dependencies, ...optionalDependencies };
  return set === "engines" ? engines : { ...engines, ...development };
}

/** `$name` in an override is the version that package.json itself asks for; not every set has that package. */
function withVersions({ overrides = {}, dependencies, devDependencies }) {
  const asked = { ...dependencies, ...devDependencies };
  return JSON.parse(
    JSON.stringify(overrides, (_, value) =>
      typeof value === "string" && value.startsWith("$") ? asked[value.slice(1)] : value,
    ),
  );
}

/** Paths in the lockfile (`node_modules/a/node_modules/b`) of the roots and of all that they need. */
function reachable(packages, roots, machine) {
  const found = new Set();
  const waiting = [];
  const add = (from, name, isOptional) => {
    const path = resolvePath(packages, from, name);
    if (path === undefined || !fits(packages[path], machine)) {
      if (isOptional) return;
      throw new Error(`package-lock.json has no ${name} for ${from || "package.json"} on this system.`);
    }
    if (found.has(path)) return;
    found.add(path);
    waiting.push(path);
  };
  for (const name of roots) add("", name, false);
  for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
    const { dependencies = {}, optionalDependencies = {}, ...entry } = packages[path];
    for (const name of Object.keys(dependencies)) add(path, name, name in optionalDependencies);
    for (const name of Object.keys(optionalDependencies)) add(path, name, true);
    for (const name of Object.keys(entry.peerDependencies ?? {}))
      if (!entry.peerDependenciesMeta?.[name]?.optional) add(path, name, false);
  }
  return found;
}

/** The place where a package at `from` finds `name`, as Node.js looks for it. */
function resolvePath(packages, from, name) {
  for (let folder = from; ; folder = folder.slice(0, Math.max(folder.lastIndexOf("/node_modules/"), 0))) {
    const path = `${folder === "" ? "" : `${folder}/`}node_modules/${name}`;
    if (path in packages) return path;
    if (folder === "") return undefined;
  }
}

function fits({ os, cpu, libc }, machine) {
  const allows = (list, value) => list === undefined || value === undefined || list.includes(value);
  return allows(os, machine.os) && allows(cpu, machine.cpu) && allows(libc, machine.libc);
}

/** An entry without the marks of other sets, and without optional packages that this set leaves out. One system's build stays optional. */
function reduced(packages, path, paths) {
  const { dev, devOptional, optional, optionalDependencies, ...rest } = packages[path];
  const entry = optional && rest.os ? { ...rest, optional } : rest;
  const kept = Object.entries(optionalDependencies ?? {}).filter(([name]) =>
    paths.has(resolvePath(packages, path, name) ?? ""),
  );
  return kept.length === 0 ? entry : { ...entry, optionalDependencies: Object.fromEntries(kept) };
}

/** This machine in npm's words. */
export function ownMachine() {
  const { platform: os, arch: cpu } = process;
  if (os !== "linux") return { os, cpu, libc: undefined };
  const { glibcVersionRuntime } = process.report.getReport().header;
  return { os, cpu, libc: glibcVersionRuntime === undefined ? "musl" : "glibc" };
}
