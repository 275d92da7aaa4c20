import { accessSync, constants, existsSync, mkdirSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { AppError } from "../../../kit/app-error.ts";
import type { Clock } from "../../../kit/clock.ts";
import { othersTurn } from "../../../kit/concurrency/others-turn.ts";
import { removeFile, replaceFile } from "../../../storage/files/replace-file.ts";
import { faultOf, type ManifestFault } from "./manifest-fault.ts";
import {
  type ManifestNaming,
  manifestFiles,
  nameOfFile,
  readManifestFile,
  type SeenFile,
  seeFile,
} from "./manifest-files.ts";
import type { ObservedVariables, SeenVariables } from "./observed-variables.ts";

/** Source of a manifest as last read: a file or the API. */
export interface ManifestSource {
  /** Unique key of the source. */
  key: string;
  /** Path relative to the workspace; undefined for a manifest that was sent through the API and lives in memory. */
  file: string | undefined;
  /** Name that identifies the source while no version of it can run. */
  name: string;
  /** Text as stored, before variables are substituted; undefined if it could not be read. */
  text: string | undefined;
  /** Runnable version; undefined if none can be built, in which case `fault` says why. */
  version: unknown;
  fault: ManifestFault | undefined;
}

/** Source made from a text, without its location. */
export type Made<Source extends ManifestSource> = Omit<Source, "key" | "file" | "text">;

/** Manifests of one kind in a folder, and the functions that make sources from them. */
export interface FolderRules<Source extends ManifestSource> extends ManifestNaming {
  /** Folder of the files, including subfolders. */
  folder: string;
  /** Folder that displayed file names are relative to. */
  workspace: string;
  /** Variables that files refer to and that `make` reads keys from. */
  variables: ObservedVariables;
  /** Makes a source from a text; `before` is the source that it replaces, if any. Never throws. */
  make: (text: string, file: string, before: Source | undefined) => Made<Source>;
  /** True for a source that may be made without a change of its text, such as when a folder that it names has appeared. */
  mayHeal?: (source: Source) => boolean;
  /** Makes the source of a file that can't be read. */
  nothing: (name: string, fault: ManifestFault, before: Source | undefined) => Made<Source>;
}

/** A file as last read. */
type FileSource<Source> = Source & {
  file: string;
  stamp: string;
  /** True if any later change gives another stamp. A file system's clock ticks in steps, so a recent file may change without one. */
  isSettled: boolean;
  /** Reason why the file can't be read; if it is the same again, nothing changes. */
  unreadable: string | undefined;
  variables: SeenVariables;
};

/** Longer than a clock step of any file system; FAT has the longest. */
const settlesAfterMs = 2000;

/** Sources that may heal are made again this often. */
const healEveryMs = 10_000;

/** Time slice for reading before other work gets a turn. */
const sliceMs = 8;

/**
 * Sources in a folder's files. Only changed files are read again, and only changed texts are made again; all other sources keep their state
 * in memory.
 */
export class ManifestFolder<Source extends ManifestSource> {
  readonly #rules: FolderRules<Source>;
  readonly #clock: Clock;
  #files: ReadonlyMap<string, FileSource<Source>> = new Map();
  #healDueMs = 0;

  constructor(rules: FolderRules<Source>, clock: Clock) {
    this.#rules = rules;
    this.#clock = clock;
  }

  /** Sources in order of their paths. */
  sources(): readonly Source[] {
    return [...this.#files.values()];
  }

  /** Checks every file and reads those that may have changed. Returns true if any source is different. */
  async refresh(): Promise<boolean> {
    const before = this.#files;
    const files = new Map<string, FileSource<Source>>();
    let sliceFromMs = this.#clock.monotonicMs();
    const isHealing = sliceFromMs >= this.#healDueMs;
    if (isHealing) this.#healDueMs = sliceFromMs + healEveryMs;
    for (const path of manifestFiles(this.#rules.folder, this.#rules)) {
      const seen = seeFile(path);
      if (seen === undefined) continue;
      const known = before.get(path);
      const current = known !== undefined && this.#isCurrent(known, seen) ? known : this.#read(seen, known);
      const isMade = current.fault !== known?.fault;
      files.set(path, isHealing && !isMade ? this.#healed(current) : current);
      if (this.#clock.monotonicMs() - sliceFromMs < sliceMs) continue;
      await othersTurn();
      sliceFromMs = this.#clock.monotonicMs();
    }
    this.#files = files;
    return (
      files.size !== before.size ||
      [...files].some(([path, source]) => source.version !== before.get(path)?.version) ||
      [...files].some(([path, source]) => source.fault !== before.get(path)?.fault)
    );
  }

  /** Path for a source that has no file yet. Throws `file_taken` if a file exists there. */
  placeFor(name: string): string {
    const path = join(this.#rules.folder, `${name}${this.#rules.newEnding}`);
    if (!existsSync(path)) return path;
    throw new AppError(
      "conflict",
      "file_taken",
      `${this.#shown(path)} contains another one, so ${name} can't be stored there.`,
      { details: { hint: "Rename that file, or choose another name." } },
    );
  }

  /** Writes a source to its file, completely or not at all, and uses that file from then on. Throws AppError `<what>_not_writable`. */
  save(path: string, source: Source, variables: SeenVariables): void {
    const text = source.text ?? "";
    try {
      mkdirSync(dirname(path), { recursive: true });
      replaceFile(path, text, modeOf(path) ?? 0o644);
    } catch (thrown) {
      throw this.#notWritable(path, thrown);
    }
    const seen = seeFile(path) ?? { path, stamp: "", changedAtMs: 0 };
    const saved = { ...source, ...this.#lookOf(seen), unreadable: undefined, variables };
    // Keeps the sources in order of their paths.
    const others = [...this.#files].filter(([other]) => other !== path);
    this.#files = new Map([...others, [path, saved] as const].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** Throws if the file of a source could not be removed. */
  requireRemovable(path: string): void {
    try {
      accessSync(dirname(path), constants.W_OK | constants.X_OK);
    } catch (thrown) {
      throw this.#notWritable(path, thrown);
    }
  }

  /** Removes a source and its file. */
  remove(path: string): void {
    try {
      removeFile(path);
    } catch (thrown) {
      throw this.#notWritable(path, thrown);
    }
    this.#files = new Map([...this.#files].filter(([other]) => other !== path));
  }

  #isCurrent(known: FileSource<Source>, seen: SeenFile): boolean {
    return (
      known.stamp === seen.stamp && known.isSettled && !this.#rules.variables.haveChanged(known.variables)
    );
  }

  #read(seen: SeenFile, known: FileSource<Source> | undefined): FileSource<Source> {
    const look = this.#lookOf(seen);
    const { make, nothing } = this.#rules;
    let text: string;
    try {
      text = readManifestFile(seen.path, look.file);
    } catch (thrown) {
      const fault = faultOf(thrown);
      if (known?.unreadable === fault.message) return { ...known, ...look };
      const made = nothing(nameOfFile(look.file, this.#rules), fault, known);
      const unread = { text: undefined, unreadable: fault.message, variables: new Map() };
      return { ...look, ...unread, ...made } as unknown as FileSource<Source>;
    }
    const same = known ?? this.#moved(text);
    if (same?.text === text && !this.#rules.variables.haveChanged(same.variables)) {
      return { ...same, ...look };
    }
    const { result, seen: variables } = this.#rules.variables.during(() => make(text, look.file, same));
    return { ...look, ...result, text, unreadable: undefined, variables } as unknown as FileSource<Source>;
  }

  /** Makes a source again that may be whole now; the same source if nothing is different. */
  #healed(known: FileSource<Source>): FileSource<Source> {
    const { file, text, fault } = known;
    if (text === undefined || fault === undefined || this.#rules.mayHeal?.(known) !== true) return known;
    const { result, seen } = this.#rules.variables.during(() => this.#rules.make(text, file, known));
    return result.fault?.message === fault.message
      ? known
      : ({ ...known, ...result, variables: seen } as unknown as FileSource<Source>);
  }

  /** Uses the path as the key, so the version that served from the file before is found again. */
  #lookOf({ path, stamp, changedAtMs }: SeenFile) {
    const isSettled = changedAtMs < this.#clock.now().getTime() - settlesAfterMs;
    return { key: path, file: this.#shown(path), stamp, isSettled };
  }

  /** Returns a source with the same text whose file is gone, because it was moved. */
  #moved(text: string): FileSource<Source> | undefined {
    for (const source of this.#files.values()) {
      const isGone = source.text === text && source.fault === undefined && seeFile(source.key) === undefined;
      if (isGone) return source;
    }
    return undefined;
  }

  #shown(path: string): string {
    return relative(this.#rules.workspace, path);
  }

  #notWritable(path: string, cause: unknown): AppError {
    const reason = cause instanceof Error && "code" in cause ? String(cause.code) : "unknown reason";
    return new AppError(
      "unavailable",
      `${this.#rules.what}_not_writable`,
      `${this.#shown(path)} can't be written (${reason}).`,
      {
        details: {
          hint: `Allow this user to write to the ${this.#rules.what} folder, or unset PLATFORM_PERSIST_AGENTS.`,
        },
        cause,
      },
    );
  }
}

/** Permissions of an existing file. */
function modeOf(path: string): number | undefined {
  const status = statSync(path, { throwIfNoEntry: false });
  return status === undefined ? undefined : status.mode & 0o777;
}
