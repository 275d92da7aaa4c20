import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";

/** A package's entry in package-lock.json. */
export interface LockEntry {
  version: string;
  integrity?: string;
}

export interface FetchedPackage {
  folder: string;
}

/** Downloads `name@version` as a .tgz file into a folder; npm by default. */
export type Download = (spec: string, folder: string) => { ok: boolean; reason: string };

/**
 * Returns the folder of a package for another system: the installed one, an earlier download, or a new one. A download that differs from
 * package-lock.json is an error, and without a checksum there nothing is downloaded. Returns the reason as text if there is no such package.
 */
export async function fetchPackage(
  root: string,
  name: string,
  entry: LockEntry | undefined,
  download: Download = npmPack,
): Promise<FetchedPackage | string> {
  if (entry === undefined) return `package-lock.json does not name ${name}`;
  const installed = join(root, "node_modules", name);
  if (isVersion(installed, entry.version)) return { folder: installed };
  if (entry.integrity === undefined) return `package-lock.json has no checksum of ${name}@${entry.version}`;
  const packages = join(root, ".cache/packages");
  const folder = join(packages, `${name.replace("/", "-")}-${entry.version}`);
  if (isVersion(folder, entry.version)) return { folder };
  mkdirSync(packages, { recursive: true });
  const draft = mkdtempSync(join(packages, ".draft-"));
  try {
    const { ok, reason } = download(`${name}@${entry.version}`, draft);
    const archive = readdirSync(draft).find((file) => file.endsWith(".tgz"));
    if (!ok || archive === undefined) return reason;
    verify(name, readFileSync(join(draft, archive)), entry.integrity);
    const unpacked = Bun.spawnSync(["tar", "-xzf", join(draft, archive), "-C", draft]);
    if (!unpacked.success) return `${archive} cannot be unpacked: ${unpacked.stderr.toString().trim()}`;
    rmSync(folder, { recursive: true, force: true });
    renameSync(join(draft, "package"), folder);
    return { folder };
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

function verify(name: string, bytes: Uint8Array, integrity: string): void {
  const [algorithm = "", expected] = integrity.split(/-(.*)/s);
  const found = new Bun.CryptoHasher(algorithm as "sha512").update(bytes).digest("base64");
  if (found !== expected)
    throw new Error(
      `The download of ${name} has the checksum ${algorithm}-${found}, and package-lock.json says ${integrity}.`,
    );
}

function isVersion(folder: string, version: string): boolean {
  const file = join(folder, "package.json");
  return existsSync(file) && JSON.parse(readFileSync(file, "utf8")).version === version;
}

function npmPack(spec: string, folder: string): { ok: boolean; reason: string } {
  const { success, stderr } = Bun.spawnSync(
    ["npm", "pack", spec, "--pack-destination", folder, "--loglevel", "error"],
    {
      stdout: "ignore",
      stderr: "pipe",
    },
  );
  const code = /npm (?:ERR!|error) code (\w+)/.exec(stderr.toString())?.[1];
  return {
    ok: success,
    reason: success ? "" : `the registry does not have ${spec}${code === undefined ? "" : ` (${code})`}`,
  };
}
