import { mkdir, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { AppError, toAppError } from "../app-error.ts";
import type { Clock } from "../clock.ts";
import { untilAborted } from "../concurrency/until-aborted.ts";
import { readBounded } from "../fetch/bounded-body.ts";
import type { Logger } from "../log.ts";
import { requireOwnFolder } from "./own-folder.ts";

/** A package of the npm registry, and the files of it that are used. */
export interface NpmPackage {
  name: string;
  version: string;
  files: readonly PackageFile[];
}

export interface PackageFile {
  /** Path in the package. */
  path: string;
  /** Its digest; a file with another one is not used. Programs always have it. */
  sha256?: string;
}

export interface NpmPackages {
  /** Returns the package's folder if its files are there and intact. */
  find(wanted: NpmPackage): Promise<string | undefined>;
  /**
   * Returns the package's folder, and downloads it first if it is missing; its install scripts don't run. Throws AppError
   * `package_unavailable` (503) with the reason; a failure is repeated without another attempt for a minute.
   */
  install(wanted: NpmPackage, signal: AbortSignal): Promise<string>;
  /** The command by which a person installs packages on a machine without that registry. */
  command(wanted: readonly NpmPackage[]): string;
}

/** A folder whose `node_modules` may have packages. */
export interface PackageFolder {
  path: string;
  /** True if other workspaces use it too. Then nobody else may write to it. */
  isShared: boolean;
}

export interface NpmPackagesOptions {
  /** In the order in which they are searched. Packages are installed into the first one that takes them. */
  folders: readonly PackageFolder[];
  fetch: (url: string, init: RequestInit) => Promise<Response>;
  clock: Clock;
  log: Logger;
  registry?: string;
}

const packedBytesMax = 64 * 1024 * 1024;
const unpackedBytesMax = 256 * 1024 * 1024;
const downloadMs = 180_000;
const connectMs = 20_000;
const failureKeptMs = 60_000;

/** Creates the packages that features install when they are first used, so that nobody has them who doesn't need them. */
export function createNpmPackages(options: NpmPackagesOptions): NpmPackages {
  const { folders, clock, log } = options;
  const intact = new Set<string>();
  const running = new Map<string, Promise<string>>();
  const failures = new Map<string, { fault: AppError; untilMs: number }>();

  const find = async (wanted: NpmPackage) => {
    for (const { path: folder, isShared } of folders) {
      const path = join(folder, "node_modules", wanted.name);
      if (!(await isIntact(path, wanted, intact))) continue;
      if (!isShared || (await isOwnFolder(dirname(path)))) return path;
    }
    return undefined;
  };

  const installNow = async (wanted: NpmPackage) => {
    const found = await find(wanted);
    if (found !== undefined) return found;
    log.info("package.installing", { package: nameOf(wanted) });
    const packed = await download(wanted, options);
    const path = await unpack(packed, wanted, options);
    log.info("package.installed", { package: nameOf(wanted), path });
    return path;
  };

  const command = (wanted: readonly NpmPackage[]) =>
    `npm install --ignore-scripts --prefix ${folders.at(-1)?.path} ${wanted.map(nameOf).join(" ")}`;

  return {
    find,
    command,
    install(wanted, signal) {
      const name = nameOf(wanted);
      const failed = failures.get(name);
      if (failed !== undefined && clock.monotonicMs() < failed.untilMs) return Promise.reject(failed.fault);
      let install = running.get(name);
      if (install === undefined) {
        install = installNow(wanted)
          .catch((thrown) => {
            const fault = asFault(wanted, thrown, command([wanted]));
            failures.set(name, { fault, untilMs: clock.monotonicMs() + failureKeptMs });
            log.warn("package.not_installed", { package: name, message: fault.message });
            throw fault;
          })
          .finally(() => running.delete(name));
        install.catch(() => undefined);
        running.set(name, install);
      }
      const begun = install;
      // The others who wait for it go on.
      return untilAborted(signal, () => begun);
    },
  };
}

const nameOf = ({ name, version }: NpmPackage) => `${name}@${version}`;

const isOwnFolder = (path: string) =>
  requireOwnFolder(path).then(
    () => true,
    () => false,
  );

/** Digests are computed once per process. */
async function isIntact(path: string, { files }: NpmPackage, intact: Set<string>): Promise<boolean> {
  for (const { path: inside, sha256 } of files) {
    const file = join(path, inside);
    const found = await stat(file).catch(() => undefined);
    if (found?.isFile() !== true) return false;
    const mark = `${file} ${found.size} ${found.mtimeMs} ${sha256}`;
    if (sha256 === undefined || intact.has(mark)) continue;
    if ((await digestOf(Bun.file(file))) !== sha256) return false;
    intact.add(mark);
  }
  return true;
}

async function digestOf(file: Blob): Promise<string> {
  const hash = new Bun.CryptoHasher("sha256");
  for await (const chunk of file.stream()) hash.update(chunk);
  return hash.digest("hex");
}

/** The packed package, compared with the digest that the registry tells. */
async function download(
  wanted: NpmPackage,
  { fetch, clock, registry = "https://registry.npmjs.org" }: NpmPackagesOptions,
): Promise<Uint8Array> {
  const limit = new AbortController();
  const cancel = clock.timer(downloadMs, () => limit.abort(new Error("the download took too long")));
  const ask = async (url: string) => {
    const slow = clock.timer(connectMs, () => limit.abort(new Error("the registry doesn't answer")));
    try {
      const response = await fetch(url, { signal: limit.signal }).catch((cause) => {
        limit.signal.throwIfAborted();
        const { code } = Object(cause);
        throw new Error(`the registry can't be reached${typeof code === "string" ? ` (${code})` : ""}`, {
          cause,
        });
      });
      if (response.ok) return response;
      await response.body?.cancel().catch(() => undefined);
      throw new Error(
        response.status === 404
          ? "the registry has no such package"
          : `the registry answered ${response.status}`,
      );
    } finally {
      slow();
    }
  };
  try {
    const described = await ask(`${registry}/${wanted.name.replace("/", "%2f")}/${wanted.version}`);
    const { dist } = JSON.parse(
      new TextDecoder().decode(await readBounded(described, 1024 * 1024, limit.signal)),
    ) as { dist: { tarball: string; integrity: string } };
    if (new URL(dist.tarball).origin !== new URL(registry).origin)
      throw new Error("the registry names a file of another server");
    const packed = await readBounded(await ask(dist.tarball), packedBytesMax, limit.signal);
    const digest = new Bun.CryptoHasher("sha512").update(packed).digest("base64");
    if (dist.integrity !== `sha512-${digest}`) throw new Error("the download is damaged");
    return packed;
  } finally {
    cancel();
  }
}

/** Writes the files that are used beside licence and description, in the first folder that takes them. */
async function unpack(
  packed: Uint8Array,
  wanted: NpmPackage,
  { folders, clock }: Pick<NpmPackagesOptions, "folders" | "clock">,
): Promise<string> {
  const files = new Map<string, Blob>();
  let bytes = 0;
  for (const [name, file] of await new Bun.Archive(packed).files()) {
    const inside = name.replace(/^[^/]+\//, "");
    const isUsed = wanted.files.some(({ path }) => path === inside);
    if (!isUsed && !/^(?:package\.json|licen[cs]e[^/]*)$/i.test(inside)) continue;
    bytes += file.size;
    if (bytes > unpackedBytesMax) throw new Error("the package is too large");
    files.set(inside, file);
  }
  for (const { path, sha256 } of wanted.files) {
    const file = files.get(path);
    if (file === undefined) throw new Error(`the package has no ${path}`);
    if (sha256 !== undefined && (await digestOf(file)) !== sha256)
      throw new Error(`${path} of the package is not the known one`);
  }
  let fault: unknown = new Error("there is no folder for packages");
  for (const { path, isShared } of folders) {
    try {
      const place = join(path, "node_modules", wanted.name);
      await mkdir(dirname(place), { recursive: true, mode: 0o700 });
      if (isShared) await requireOwnFolder(dirname(place));
      await sweep(place, clock.now().getTime() - unfinishedMs);
      await write(files, place, wanted);
      return place;
    } catch (thrown) {
      fault = thrown;
    }
  }
  throw fault;
}

async function write(files: ReadonlyMap<string, Blob>, path: string, wanted: NpmPackage): Promise<void> {
  const temporary = `${path}.${crypto.randomUUID()}.tmp`;
  try {
    for (const [inside, file] of files) {
      await mkdir(dirname(join(temporary, inside)), { recursive: true, mode: 0o700 });
      await writeFile(join(temporary, inside), new Uint8Array(await file.arrayBuffer()));
    }
    // An older or damaged one makes way; a process that has it open keeps its files.
    await rm(path, { recursive: true, force: true });
    await rename(temporary, path);
  } catch (thrown) {
    // Another process may have been faster.
    if (!(await isIntact(path, wanted, new Set()))) throw thrown;
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

const unfinishedMs = 3_600_000;

/** Removes what processes left that ended while they wrote. */
async function sweep(path: string, beforeMs: number): Promise<void> {
  const folder = dirname(path);
  for (const name of await readdir(folder)) {
    if (!name.startsWith(`${basename(path)}.`) || !name.endsWith(".tmp")) continue;
    const left = join(folder, name);
    const { mtimeMs } = await stat(left).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY }));
    if (mtimeMs < beforeMs) await rm(left, { recursive: true, force: true });
  }
}

function asFault(wanted: NpmPackage, thrown: unknown, command: string): AppError {
  const known = toAppError(thrown);
  const reason =
    known.kind !== "internal" ? known.message : thrown instanceof Error ? thrown.message : String(thrown);
  const message = `The package ${nameOf(wanted)} is not installed, and installing it failed: ${reason.replace(/\.$/, "")}.`;
  return new AppError("unavailable", "package_unavailable", message, {
    details: { hint: `Connect this machine to registry.npmjs.org, or run: ${command}` },
    cause: thrown,
  });
}
