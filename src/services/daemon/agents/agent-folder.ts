import { accessSync, constants, existsSync, mkdirSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { AppError } from "../../../kit/app-error.ts";
import type { Clock } from "../../../kit/clock.ts";
import { checkFile } from "../../../manifest/manifest-kind.ts";
import { invalidManifest } from "../../../manifest/problems.ts";
import { removeFile, replaceFile } from "../../../storage/replace-file.ts";
import { agentFiles, nameOfFile, readAgentFile, type SeenFile, seeFile } from "./agent-files.ts";
import { type AgentLife, beginLife } from "./agent-life.ts";
import type { AgentSource } from "./agent-source.ts";
import { type AgentLoader, buildVersion, faultOf } from "./agent-version.ts";
import type { SeenVariables } from "./observed-variables.ts";

/** A file as it was read last. */
interface FileSource extends AgentSource {
  file: string;
  stamp: string;
  /** Whether no change of it can have the same stamp: the clock of a file system ticks in steps. */
  isSettled: boolean;
  /** Why the file can't be read at all; the same reading again gives nothing new. */
  unreadable: string | undefined;
  variables: SeenVariables;
}

/** Longer than a step of any file system's clock; FAT has the longest. */
const settlesAfterMs = 2000;

/** How long reading may keep others from working. */
const sliceMs = 8;

/**
 * The agents of the folder's files. Only what changed is read again, and only what reads differently is built again:
 * everything else keeps what it has in memory, rate limits and latencies among it.
 */
export class AgentFolder {
  readonly #loader: AgentLoader;
  readonly #clock: Clock;
  #files: ReadonlyMap<string, FileSource> = new Map();

  constructor(loader: AgentLoader, clock: Clock) {
    this.#loader = loader;
    this.#clock = clock;
  }

  /** In the order of their paths. */
  sources(): readonly AgentSource[] {
    return [...this.#files.values()];
  }

  /** Looks at every file and reads those that may have changed; whether something is different now. */
  async refresh(): Promise<boolean> {
    const before = this.#files;
    const files = new Map<string, FileSource>();
    let sliceFromMs = this.#clock.monotonicMs();
    for (const path of agentFiles(this.#loader.folder)) {
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

  /** Where an agent without a file is to be kept; `file_taken` when something else stands there. */
  placeFor(name: string): string {
    const path = join(this.#loader.folder, `${name}.agent.yaml`);
    if (!existsSync(path)) return path;
    throw new AppError(
      "conflict",
      "file_taken",
      `${this.#shown(path)} holds another agent, so ${name} can't be kept there.`,
      { details: { hint: "Rename that file, or give the agent another name." } },
    );
  }

  /** Writes a source to its file, whole or not at all, and takes it from there on; AppError `agents_not_writable`. */
  save(path: string, source: AgentSource, variables: SeenVariables): void {
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

  #isCurrent(known: FileSource, seen: SeenFile): boolean {
    return (
      known.stamp === seen.stamp && known.isSettled && !this.#loader.variables.haveChanged(known.variables)
    );
  }

  #read(seen: SeenFile, known: FileSource | undefined): FileSource {
    const look = this.#lookOf(seen);
    let text: string;
    try {
      text = readAgentFile(seen.path, look.file);
    } catch (thrown) {
      const fault = faultOf(thrown);
      if (known?.unreadable === fault.message) return { ...known, ...look };
      const nothing = { text: undefined, manifest: undefined, version: undefined, variables: new Map() };
      const life = known?.life ?? beginLife();
      return { ...look, ...nothing, name: nameOfFile(look.file), fault, unreadable: fault.message, life };
    }
    const same = known ?? this.#moved(text);
    if (same?.text === text && !this.#loader.variables.haveChanged(same.variables)) {
      return { ...same, ...look };
    }
    const life = same?.life ?? beginLife();
    const { result, seen: variables } = this.#loader.variables.during(() =>
      this.#make(text, look.file, life),
    );
    return { ...look, ...result, text, unreadable: undefined, variables, life };
  }

  /** The key is the path, so what served from the file before is found again. */
  #lookOf({ path, stamp, changedAtMs }: SeenFile) {
    const isSettled = changedAtMs < this.#clock.now().getTime() - settlesAfterMs;
    return { key: path, file: this.#shown(path), stamp, isSettled };
  }

  /** What the text declares and what can run of it. */
  #make(text: string, file: string, life: AgentLife) {
    const { kind, variables } = this.#loader;
    const checked = checkFile(kind, text, variables.read);
    if ("problems" in checked) {
      const fault = faultOf(invalidManifest(checked.problems, file));
      return { name: nameOfFile(file), manifest: undefined, version: undefined, fault };
    }
    const { manifest } = checked;
    const { name } = manifest.metadata;
    try {
      const version = buildVersion(this.#loader, manifest, text, { life, file });
      return { name, manifest, version, fault: undefined };
    } catch (thrown) {
      return { name, manifest, version: undefined, fault: faultOf(thrown) };
    }
  }

  /** A file with the same text that is there no more: it was moved. */
  #moved(text: string): FileSource | undefined {
    for (const source of this.#files.values()) {
      const isGone = source.text === text && source.fault === undefined && seeFile(source.key) === undefined;
      if (isGone) return source;
    }
    return undefined;
  }

  #shown(path: string): string {
    return relative(this.#loader.workspace, path);
  }

  #notWritable(path: string, cause: unknown): AppError {
    const reason = cause instanceof Error && "code" in cause ? String(cause.code) : "unknown reason";
    return new AppError(
      "unavailable",
      "agents_not_writable",
      `${this.#shown(path)} can't be written (${reason}).`,
      {
        details: { hint: "Let this user write the agents folder, or unset PLATFORM_PERSIST_AGENTS." },
        cause,
      },
    );
  }
}

/** Lets what is waiting go first. No timer of the clock's: those don't keep a process alive that is only starting. */
function othersTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** The permissions that an existing file has. */
function modeOf(path: string): number | undefined {
  const status = statSync(path, { throwIfNoEntry: false });
  return status === undefined ? undefined : status.mode & 0o777;
}
