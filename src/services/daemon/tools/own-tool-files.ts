import { createHash } from "node:crypto";
import { readdirSync } from "node:fs";
import { join, relative } from "node:path";
import { readByJsonSchema } from "../../../engine/tools/input-schema.ts";
import { takenName } from "../../../engine/tools/own/bind-own-tool.ts";
import type { OwnToolProcess } from "../../../engine/tools/own/own-tool-process.ts";
import type { OwnTool, OwnTools } from "../../../engine/tools/own/own-tools.ts";
import type { Clock } from "../../../kit/clock.ts";
import { inPieces } from "../../../kit/concurrency/others-turn.ts";
import { serialQueue } from "../../../kit/concurrency/serial-queue.ts";
import type { Logger } from "../../../kit/log.ts";
import { seeFile } from "../manifests/manifest-files.ts";

/** Reason why a file in `tools/` provides no tool, or only its previous version. */
export interface OwnToolFault {
  /** Path relative to the workspace. */
  file: string;
  message: string;
  line?: number;
  column?: number;
  /** Tool whose last good version keeps running. */
  serving?: string;
}

export interface OwnToolFilesParts {
  workspace: string;
  process: OwnToolProcess;
  clock: Clock;
  log: Logger;
  /** Returns the reason why no file may be loaded or run now; undefined if they may. */
  refusal: () => string | undefined;
  /** False if files are loaded only when a run needs them. */
  isAwake: boolean;
}

/** A file as last loaded. */
interface LoadedFile {
  file: string;
  tool?: OwnTool;
  inputs: readonly string[];
  fault?: OwnToolFault;
}

/** State of the files without their contents; it changes whenever a file may have changed. */
interface Look {
  stamps: readonly string[];
  /** True if any later change gives other stamps. A file system's clock ticks in steps, so a recent file may change without one. */
  isSettled: boolean;
}

const isSameLook = (one: Look, other: Look) =>
  one.stamps.length === other.stamps.length &&
  one.stamps.every((stamp, index) => stamp === other.stamps[index]);

const settlesAfterMs = 2000;
const filesSeenMax = 2000;
const isTool = (name: string) => /\.[tj]s$/.test(name) && !/\.(d|test|spec)\.[tj]s$/.test(name);

/**
 * Tools in the files of a workspace's `tools/` folder. Files in subfolders can only be imported. If a change is broken, the last good
 * version keeps running and the fault is reported.
 */
export class OwnToolFiles implements OwnTools {
  readonly #parts: OwnToolFilesParts;
  readonly #inTurn = serialQueue();
  #files: readonly LoadedFile[] = [];
  #tools: ReadonlyMap<string, OwnTool> = new Map();
  #seen: Look = { stamps: [], isSettled: true };
  #isAwake: boolean;
  #waking: Promise<void> | undefined;

  constructor(parts: OwnToolFilesParts) {
    this.#parts = parts;
    this.#isAwake = parts.isAwake;
  }

  find(name: string): OwnTool | undefined {
    return this.#tools.get(name);
  }

  /** Tools, sorted by name. */
  list(): OwnTool[] {
    return [...this.#tools.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  faults(): OwnToolFault[] {
    return this.#files.flatMap(({ fault }) => fault ?? []);
  }

  call: OwnTools["call"] = async (tool, call) => {
    const refusal = this.#parts.refusal();
    if (refusal !== undefined) return { success: false, error: `${tool.name} is not run: ${refusal}.` };
    return this.#parts.process.call(tool, call);
  };

  run: OwnTools["run"] = async (path, file, call) => {
    const refusal = this.#parts.refusal();
    if (refusal !== undefined) return { success: false, error: `${file} is not run: ${refusal}.` };
    const loaded = await this.#inTurn(() => this.#parts.process.load(path));
    if ("fault" in loaded) {
      const { message, line } = loaded.fault;
      return { success: false, error: `${file}${line === undefined ? "" : `:${line}`} ${message}.` };
    }
    const { program, declared } = loaded;
    const reader = readByJsonSchema(declared.parameters, "parameters");
    if ("problems" in reader)
      return { success: false, error: `${file}: its parameters are not a JSON Schema.` };
    const read = await inPieces(reader.read(call.input));
    if ("fault" in read) return { success: false, error: read.fault };
    const hash = createHash("sha256").update(program).digest("hex");
    const tool = { name: declared.name, program: { hash, text: program } };
    return this.#parts.process.call(tool, { ...call, input: read.input });
  };

  /** Paths of files that no run has needed so far. */
  asleep(): string[] {
    return this.#isAwake ? [] : ownToolPaths(this.#parts.workspace);
  }

  /** Returns true for a tool that is loaded, or that a file may have that isn't loaded yet. */
  mayHave(name: string): boolean {
    return this.find(name) !== undefined || this.asleep().length > 0;
  }

  ready(): Promise<void> | undefined {
    if (this.#isAwake) return this.#waking;
    this.#isAwake = true;
    this.#waking = this.look().finally(() => {
      this.#waking = undefined;
    });
    return this.#waking;
  }

  /** Loads what changed since the last look. */
  look(): Promise<void> {
    return this.#inTurn(async () => (this.#isAwake ? this.#refresh() : undefined));
  }

  close(): void {
    this.#parts.process.close();
  }

  async #refresh(): Promise<void> {
    const paths = ownToolPaths(this.#parts.workspace);
    const look = this.#lookAt(paths);
    if (look.isSettled && isSameLook(look, this.#seen)) return;
    const before = new Map(this.#files.map((one) => [one.file, one]));
    const files: LoadedFile[] = [];
    try {
      for (const path of paths) files.push(await this.#load(path, before));
    } finally {
      this.#parts.process.endLoading();
    }
    this.#publish(namesOnce(files, before));
    // Newly imported files are watched from now on. Files that changed during loading are loaded again.
    const now = this.#lookAt(paths);
    this.#seen = look.stamps.every((stamp) => now.stamps.includes(stamp)) ? now : look;
  }

  async #load(path: string, before: ReadonlyMap<string, LoadedFile>): Promise<LoadedFile> {
    const file = relative(this.#parts.workspace, path);
    const refusal = this.#parts.refusal();
    if (refusal !== undefined)
      return { file, inputs: [], fault: { file, message: `is not loaded: ${refusal}` } };
    const known = before.get(file);
    const loaded = await this.#parts.process.load(path);
    if ("fault" in loaded) {
      const { message, file: place, ...at } = loaded.fault;
      const elsewhere =
        place !== undefined && place !== path ? relative(this.#parts.workspace, place) : undefined;
      const reason =
        elsewhere === undefined ? message : `imports ${elsewhere}, which has an error: ${message}`;
      return broken(file, known, { message: reason, ...at });
    }
    const { program, inputs, declared, line } = loaded;
    const hash = createHash("sha256").update(program).digest("hex");
    const taken = takenName(declared.name);
    if (taken !== undefined) return broken(file, known, { message: taken, line });
    const reader = readByJsonSchema(declared.parameters, "parameters");
    if ("problems" in reader) {
      const [problem] = reader.problems;
      return broken(file, known, {
        message: `${problem?.path ?? "parameters"} ${problem?.message ?? ""}`,
        line,
      });
    }
    const same = known?.tool;
    const tool =
      same?.program.hash === hash
        ? same
        : { ...declared, file, read: reader.read, program: { hash, text: program } };
    return { file, tool, inputs };
  }

  #publish(files: readonly LoadedFile[]): void {
    const { log } = this.#parts;
    const logged = new Set(this.faults().map(textOf));
    const before = this.#tools;
    this.#files = files;
    this.#tools = new Map(
      files.flatMap(({ tool }) => (tool === undefined ? [] : [[tool.name, tool] as const])),
    );
    const faults = this.faults();
    for (const fault of faults) {
      if (!logged.has(textOf(fault))) log.warn("tool.refused", { file: fault.file, message: textOf(fault) });
    }
    const isSame =
      before.size === this.#tools.size && [...before].every(([name, tool]) => this.find(name) === tool);
    if (!isSame) log.info("tools.loaded", { ready: this.#tools.size, refused: faults.length });
  }

  /** State of all files in the folder, and of the files that they import from elsewhere. */
  #lookAt(paths: readonly string[]): Look {
    const folder = join(this.#parts.workspace, "tools");
    const below = paths.length === 0 ? [] : filesBelow(folder);
    const elsewhere = this.#files
      .flatMap(({ inputs }) => inputs)
      .filter((path) => !path.includes("/node_modules/"));
    const stamps = [...new Set([...paths, ...below, ...elsewhere])].map((path) => {
      const seen = seeFile(path);
      return { text: `${path} ${seen?.stamp ?? "gone"}`, changedAtMs: seen?.changedAtMs ?? 0 };
    });
    const settledBeforeMs = this.#parts.clock.now().getTime() - settlesAfterMs;
    return {
      stamps: [this.#parts.refusal() ?? "", ...stamps.map(({ text }) => text)],
      isSettled: stamps.every(({ changedAtMs }) => changedAtMs < settledBeforeMs),
    };
  }
}

/** Paths of the files that have tools, sorted by name. */
export function ownToolPaths(workspace: string): string[] {
  const folder = join(workspace, "tools");
  return namesIn(folder)
    .filter((name) => isTool(name) && !name.startsWith("."))
    .sort()
    .map((name) => join(folder, name));
}

/** Describes a fault for people. */
export function textOf({ file, message, line, column, serving }: OwnToolFault): string {
  const place = line === undefined ? file : `${file}:${line}${column === undefined ? "" : `:${column}`}`;
  const goesOn = serving === undefined ? "" : ` (Argosy keeps using the last valid version of ${serving})`;
  return `${place}: ${message}${goesOn}.`;
}

function broken(
  file: string,
  known: LoadedFile | undefined,
  fault: Omit<OwnToolFault, "file" | "serving">,
): LoadedFile {
  const { tool, inputs = [] } = known ?? {};
  return {
    file,
    inputs,
    ...(tool && { tool }),
    fault: { file, ...fault, ...(tool && { serving: tool.name }) },
  };
}

/** If two files declare the same name, the file that had it before keeps it, or else the first. */
function namesOnce(files: readonly LoadedFile[], before: ReadonlyMap<string, LoadedFile>): LoadedFile[] {
  const owners = new Map<string, string>();
  const had = ({ file, tool }: LoadedFile) => before.get(file)?.tool?.name === tool?.name;
  for (const one of [...files.filter(had), ...files]) {
    if (one.tool !== undefined && !owners.has(one.tool.name)) owners.set(one.tool.name, one.file);
  }
  return files.map((one) => {
    const owner = one.tool && owners.get(one.tool.name);
    if (owner === undefined || owner === one.file) return one;
    const message = `declares the tool ${one.tool?.name}, which ${owner} also declares; names must be unique`;
    return { file: one.file, inputs: one.inputs, fault: { file: one.file, message } };
  });
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function filesBelow(folder: string): string[] {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return names
    .filter((name) => /\.[cm]?[tj]sx?$|\.json$/.test(name) && !name.split("/").includes("node_modules"))
    .sort()
    .slice(0, filesSeenMax)
    .map((name) => join(folder, name));
}
