import {
  accessSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmdirSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { AppError } from "../../kit/app-error.ts";
import { removeFile, replaceFile } from "../../storage/files/replace-file.ts";
import { copyExecutable } from "./copy-executable.ts";
import { type InstallPlace, type InstallUser, installPlace, pathFolders } from "./install-place.ts";

/** Shell completion and the man page, as text. */
export interface ProgramTexts {
  bash: string;
  zsh: string;
  fish: string;
  manPage: string;
}

export interface InstallRequest {
  /** The executable to copy. */
  executable: string;
  place: InstallPlace;
  texts: ProgramTexts;
  version: string;
  /** Replaces a file that `argosy install` did not write. */
  force: boolean;
}

export interface Installed {
  program: string;
  files: string[];
  /** True if the executable already ran from its place. */
  was_in_place: boolean;
  on_path: boolean;
  /** Another program of this name that the shell finds first, or null. */
  shadowed_by: string | null;
}

export interface Uninstalled {
  removed: string[];
  /** Files of the record that were gone already. */
  missing: string[];
}

/** The paths that installations have written, so that uninstalling removes these files and no others. */
interface InstallRecord {
  version: string;
  files: string[];
}

const recordPath = (share: string) => join(share, "argosy", "installed.json");

/** Copies the executable to its place and writes completion and man page beside it. Each file appears at once and complete. */
export async function installProgram(user: InstallUser, request: InstallRequest): Promise<Installed> {
  const { executable, place, texts, version, force } = request;
  const record = readRecord(place.share);
  const isThere = existsSync(place.program) && realpathSync(place.program) === realpathSync(executable);
  const companions = user.platform === "win32" ? [] : companionFiles(place.share, texts);
  const files = [place.program, ...companions.map(({ path }) => path)];
  try {
    if (!isThere) refuseForeign(place.program, record, force);
    // The record first: an installation that is cut off can be uninstalled.
    writeText(
      recordPath(place.share),
      recordText({ version, files: [...new Set([...record.files, ...files])] }),
    );
    if (!isThere) await copyExecutable(executable, place.program);
    for (const { path, text } of companions) writeText(path, text);
  } catch (thrown) {
    throw notWritable(thrown, place, user);
  }
  const program = firstOnPath(user, basename(place.program));
  const folders = pathFolders(user);
  return {
    program: place.program,
    files,
    was_in_place: isThere,
    on_path: folders.includes(place.folder),
    shadowed_by: program === undefined || program === place.program ? null : program,
  };
}

/** Removes every file that installations of this user have written. */
export function uninstallProgram(user: InstallUser, place: InstallPlace): Uninstalled {
  const path = recordPath(place.share);
  if (!existsSync(path))
    throw new AppError(
      "not_found",
      "not_installed",
      `\`argosy install\` has installed nothing: ${path} does not exist.`,
      {
        details: {
          hint: user.isRoot
            ? "A package is removed with its own tool, for example `apt-get remove argosy`."
            : "If it was installed by root, run the command as root. A package is removed with its own tool, for example `apt-get remove argosy`.",
        },
      },
    );
  const { files } = readRecord(place.share);
  const removed = files.filter((file) => lstatSync(file, { throwIfNoEntry: false }) !== undefined);
  try {
    for (const file of removed) removeFile(file);
    removeFile(path);
  } catch (thrown) {
    throw notWritable(thrown, place, user);
  }
  for (const folder of new Set([...files, path].map(dirname))) removeOwnFolder(folder);
  return { removed, missing: files.filter((file) => !removed.includes(file)) };
}

/** True if `argosy install` of this user has written the file. */
export const isRecorded = (user: InstallUser, program: string): boolean =>
  readRecord(installPlace(user, undefined, "/").share).files.includes(program);

/** Paths that bash-completion, zsh, fish and man search in a `share` folder. */
function companionFiles(share: string, texts: ProgramTexts): { path: string; text: string }[] {
  return [
    { path: join(share, "bash-completion/completions/argosy"), text: texts.bash },
    { path: join(share, "zsh/site-functions/_argosy"), text: texts.zsh },
    { path: join(share, "fish/vendor_completions.d/argosy.fish"), text: texts.fish },
    { path: join(share, "man/man1/argosy.1"), text: texts.manPage },
  ];
}

function writeText(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  replaceFile(path, text.endsWith("\n") ? text : `${text}\n`, 0o644);
}

const recordText = (record: InstallRecord) => JSON.stringify(record, null, 2);

function readRecord(share: string): InstallRecord {
  const path = recordPath(share);
  if (!existsSync(path)) return { version: "", files: [] };
  const damaged = () =>
    new AppError(
      "conflict",
      "install_record_damaged",
      `${path} cannot be read as the record of an installation.`,
      {
        details: { hint: "Delete it, then run `argosy install --force`, which writes it again." },
      },
    );
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(path, "utf8"));
  } catch {
    throw damaged();
  }
  const { version, files } = (content ?? {}) as Partial<InstallRecord>;
  const areNamed = Array.isArray(files) && files.every((file) => typeof file === "string" && isOurName(file));
  if (!areNamed) throw damaged();
  return { version: String(version), files };
}

/** Returns true for the names that `install` gives. A record that was changed by hand must not delete other files. */
const isOurName = (path: string): boolean =>
  ["argosy", "argosy.exe", "_argosy", "argosy.fish", "argosy.1"].includes(basename(path)) &&
  !path.includes("/../");

function refuseForeign(path: string, record: InstallRecord, force: boolean): void {
  const there = lstatSync(path, { throwIfNoEntry: false });
  if (there?.isDirectory())
    throw new AppError("conflict", "place_taken", `${path} is a folder.`, {
      details: { hint: "Choose another folder with --to." },
    });
  if (there === undefined || record.files.includes(path) || force) return;
  throw new AppError("conflict", "place_taken", `${path} exists, and \`argosy install\` did not write it.`, {
    details: { hint: "Replace it with --force, or choose another folder with --to." },
  });
}

function firstOnPath(user: InstallUser, name: string): string | undefined {
  return pathFolders(user)
    .map((folder) => join(folder, name))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}

/** Removes a folder named after the program if it is empty; shared folders stay. */
function removeOwnFolder(folder: string): void {
  if (basename(folder) === "argosy" && existsSync(folder) && readdirSync(folder).length === 0)
    rmdirSync(folder);
}

function notWritable(thrown: unknown, { folder, share }: InstallPlace, user: InstallUser): unknown {
  const { code, path, syscall } = thrown as NodeJS.ErrnoException;
  if (!["EACCES", "EPERM", "EROFS", "ENOSPC", "ENOTDIR", "EEXIST"].includes(code ?? "")) return thrown;
  const place = path ?? `${folder} or ${share}`;
  return new AppError(
    "unprocessable",
    "place_not_writable",
    `${place} cannot be written (${syscall ?? "write"}: ${code}).`,
    {
      details: {
        hint: user.isRoot
          ? "Choose another folder with --to."
          : "Choose a folder of your own with --to, or run the command as root to install for everyone.",
      },
      cause: thrown,
    },
  );
}
