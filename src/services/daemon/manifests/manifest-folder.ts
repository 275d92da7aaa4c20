import { accessSync, constants, existsSync, mkdirSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { AppError } from "../../../kit/app-error.ts";
import type { Clock } from "../../../kit/clock.ts";
import { othersTurn } from "../../../kit/others-turn.ts";
import { removeFile, replaceFile } from "../../../storage/replace-file.ts";
import { type Fault, faultOf } from "../agents/agent-version.ts";
import type { ObservedVariables, SeenVariables } from "../agents/observed-variables.ts";
import {
  type ManifestNaming,
  manifestFiles,
  nameOfFile,
  readManifestFile,
  type SeenFile,
  seeFile,
} from "./manifest-files.ts";

/** One place that a manifest comes from, as it was read last. */
export interface ManifestSource {
  /** Tells it from all others. */
  key: string;
  /** Relative to the workspace; undefined: it was sent and lives in memory. */
  file: string | undefined;
  /** What it is known by as long as nothing in it can run. */
  name: string;
  /** As it stands there, its variables not put in; undefined when it could not be read. */
  text: string | undefined;
  /** What can run of it; undefined, with the fault, when nothing can. */
  version: unknown;
  fault: Fault | undefined;
}

/** What a text makes, beside where it stands. */
export type Made<Source extends ManifestSource> = Omit<Source, "key" | "file" | "text">;

/** The manifests of one kind in a folder, and what is made of them. */
export interface FolderRules<Source extends ManifestSource> extends ManifestNaming {
  /** The folder whose files are meant, subfolders included. */
  folder: string;
  /** What file names are shown relative to. */
  workspace: string;
  /** The variables that files read, and that `make` looks keys up in. */
  variables: ObservedVariables;
  /** What a text is; `before` is the source that it follows, if it does. Never throws. */
  make: (text: string, file: string, before: Source | undefined) => Made<Source>;
  /** What a file is that can't be read. */
  nothing: (name: string, fault: Fault, before: Source | undefined) => Made<Source>;
}

/** A file as it was read last. */
type FileSource<Source> = Source & {
  file: string;
  stamp: string;
  /** Whether no change of it can have the same stamp: the clock of a file system ticks in steps. */
  isSettled: boolean;
  /** Why the file can't be read at all; the same reading again gives nothing new. */
  unreadable: string | undefined;
  variables: SeenVariables;
};

/** Longer than a step of any file system's clock; FAT has the longest. */
const settlesAfterMs = 2000;

/** How long reading may keep others from working. */
const sliceMs = 8;

/**
 * The sources in a folder's files. Only what changed is read again, and only what reads differently is made again:
 * everything else keeps what it has in memory.
 */
export class ManifestFolder<Source extends ManifestSource> {
  readonly #rules: FolderRules<Source>;
  readonly #clock: Clock;
  #files: ReadonlyMap<string, FileSource<Source>> = new Map();

  constructor(rules: FolderRules<Source>, clock: Clock) {
    this.#rules = rules;
    this.#clock = clock;
  }

  /** In the order of their paths. */
  sources(): readonly Source[] {
    return [...this.#files.values()];
  }

  /** Looks at every file and reads those that may have changed; whether something is different now. */
  async refresh(): Promise<boolean> {
    const before = this.#files;
    const files = new Map<string, FileSource<Source>>();
    let sliceFromMs = this.#clock.monotonicMs();
    for (const path of manifestFiles(this.#rules.folder, this.#rules)) {
      const seen = seeFile(path);
      if (seen === undefined) continue;
      const known = before.get(path);
      files.set(path, known !== undefined && this.#isCurrent(known, seen) ? known : this.#read(seen, known));
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

  /** Where what has no file yet is to be kept; `file_taken` when something else stands there. */
  placeFor(name: string): string {
    const path = join(this.#rules.folder, `${name}${this.#rules.newEnding}`);
    if (!existsSync(path)) return path;
    throw new AppError(
      "conflict",
      "file_taken",
      `${this.#shown(path)} holds another one, so ${name} can't be kept there.`,
      { details: { hint: "Rename that file, or take another name." } },
    );
  }

  /** Writes a source to its file, whole or not at all, and takes it from there on; AppError `<what>_not_writable`. */
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
    // Sources keep the order of their paths.
    const others = [...this.#files].filter(([other]) => other !== path);
    this.#files = new Map([...others, [path, saved] as const].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** Throws unless the file of a source could be removed. */
  requireRemovable(path: string): void {
    try {
      accessSync(dirname(path), constants.W_OK | constants.X_OK);
    } catch (thrown) {
      throw this.#notWritable(path, thrown);
    }
  }

  /** Removes a source with its file. */
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

  /** The key is the path, so what served from the file before is found again. */
  #lookOf({ path, stamp, changedAtMs }: SeenFile) {
    const isSettled = changedAtMs < this.#clock.now().getTime() - settlesAfterMs;
    return { key: path, file: this.#shown(path), stamp, isSettled };
  }

  /** A file with the same text that is there no more: it was moved. */
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
          hint: `Let this user write the ${this.#rules.what} folder, or unset PLATFORM_PERSIST_AGENTS.`,
        },
        cause,
      },
    );
  }
}

/** The permissions that an existing file has. */
function modeOf(path: string): number | undefined {
  const status = statSync(path, { throwIfNoEntry: false });
  return status === undefined ? undefined : status.mode & 0o777;
}
