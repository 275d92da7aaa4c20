import { accessSync, constants, copyFileSync, renameSync, rmSync, statfsSync } from "node:fs";
import { dirname } from "node:path";
import { AppError } from "../../kit/app-error.ts";
import type { Clock } from "../../kit/clock.ts";
import { downloadExecutable } from "./download-executable.ts";
import { packagerOf } from "./package-manager.ts";
import { type Fetch, type ReleaseList, readReleaseList } from "./release-list.ts";
import type { ReleaseSource } from "./release-source.ts";

export interface UpgradeParts {
  source: ReleaseSource;
  /** This executable's version. */
  version: string;
  /** Its real path. */
  program: string;
  platform: NodeJS.Platform;
  fetch: Fetch;
  clock: Clock;
  /** Starts a program and returns its `version --json`; undefined if it does not start or does not end in time. */
  versionOf(program: string): Promise<string | undefined>;
}

export interface Upgrade {
  program: string;
  current: string;
  latest: string;
  /** True if the latest is newer than this one. */
  available: boolean;
  /** True if this call has put it in place. */
  upgraded: boolean;
}

/** Compares this executable with the latest release. */
export async function checkUpgrade(
  parts: UpgradeParts,
): Promise<Upgrade & { list: ReleaseList; url: string }> {
  const { source, version, program } = parts;
  const { url, key } = source;
  if (url === undefined || key === undefined)
    throw new AppError(
      "conflict",
      "upgrade_not_configured",
      "This executable was built without an address for upgrades.",
      {
        details: { hint: "Download the newer one, then run `./argosy install` with it." },
      },
    );
  const list = await readReleaseList(parts, url, key);
  const available = Bun.semver.order(list.version, version) > 0;
  return { program, current: version, latest: list.version, available, upgraded: false, list, url };
}

/**
 * Replaces this executable by the latest release. The new one is downloaded beside it, checked, and tried there; then it takes the place in one
 * step and is tried again. If it doesn't start, the old one is back. A running server goes on with the old one until it restarts.
 */
export async function upgradeProgram(parts: UpgradeParts): Promise<Upgrade> {
  const { program, platform, source } = parts;
  refuseForeign(program);
  refuseReadOnly(program);
  const { list, url, ...upgrade } = await checkUpgrade(parts);
  if (!upgrade.available) return upgrade;
  const file = list.files[source.target];
  if (file === undefined)
    throw new AppError(
      "not_found",
      "release_lacks_system",
      `Version ${list.version} has no executable for ${source.target}.`,
    );
  refuseFull(dirname(program), file.size);
  // Windows starts files of this name alone.
  const draft = `${program}.new${platform === "win32" ? ".exe" : ""}`;
  const previous = `${program}.previous${platform === "win32" ? ".exe" : ""}`;
  rmSync(draft, { force: true });
  rmSync(previous, { force: true });
  try {
    await downloadExecutable(parts, `${url}/${file.file}`, file, draft);
    await requireVersion(parts, draft, list.version);
    keepPrevious(program, previous, platform);
    try {
      renameSync(draft, program);
      await requireVersion(parts, program, list.version);
    } catch (thrown) {
      renameSync(previous, program);
      throw thrown;
    }
  } finally {
    rmSync(draft, { force: true });
    // Windows keeps the file of a running program; the next upgrade removes it.
    if (platform !== "win32") rmSync(previous, { force: true });
  }
  return { ...upgrade, upgraded: true };
}

/** On Windows the running file can be renamed, but not replaced. */
function keepPrevious(program: string, previous: string, platform: NodeJS.Platform): void {
  if (platform === "win32") renameSync(program, previous);
  else copyFileSync(program, previous, constants.COPYFILE_FICLONE);
}

async function requireVersion({ versionOf }: UpgradeParts, program: string, version: string): Promise<void> {
  const programVersion = await versionOf(program);
  if (programVersion === version) return;
  const how =
    programVersion === undefined
      ? "does not start on this machine"
      : `says that it is version ${programVersion}`;
  throw new AppError(
    "unprocessable",
    "upgrade_does_not_start",
    `The executable of version ${version} ${how}.`,
    {
      details: { hint: "The version that you have is still in place." },
    },
  );
}

function refuseForeign(program: string): void {
  const packager = packagerOf(program);
  if (packager === undefined) return;
  throw new AppError("conflict", "installed_by_package", `${program} belongs to ${packager.name}.`, {
    details: { hint: `Upgrade it there: ${packager.upgrade}.` },
  });
}

function refuseReadOnly(program: string): void {
  try {
    accessSync(dirname(program), constants.W_OK);
  } catch (thrown) {
    throw new AppError("unprocessable", "place_not_writable", `${dirname(program)} cannot be written.`, {
      details: { hint: "Run the command as the user who installed it, for example with sudo." },
      cause: thrown,
    });
  }
}

function refuseFull(folder: string, bytes: number): void {
  const { bavail, bsize } = statfsSync(folder);
  if (bavail * bsize > bytes) return;
  throw new AppError(
    "unprocessable",
    "place_full",
    `${folder} has no room for ${Math.ceil(bytes / 1e6)} MB.`,
  );
}
