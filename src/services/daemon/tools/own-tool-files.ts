import { createHash } from "node:crypto";
import { readdirSync } from "node:fs";
import { join, relative } from "node:path";
import { takenName } from "../../../engine/tools/own/bind-own-tool.ts";
import type { OwnToolProcess } from "../../../engine/tools/own/own-tool-process.ts";
import type { OwnTool, OwnTools } from "../../../engine/tools/own/own-tools.ts";
import { readByJsonSchema } from "../../../engine/tools/read-by-json-schema.ts";
import type { Clock } from "../../../kit/clock.ts";
import { inTurn } from "../../../kit/in-turn.ts";
import type { Logger } from "../../../kit/log.ts";
import { seeFile } from "../manifests/manifest-files.ts";

/** Why a file of `tools/` gives no tool, or not the one that it declares now. */
export interface OwnToolFault {
  /** Relative to the workspace. */
  file: string;
  message: string;
  line?: number;
  column?: number;
  /** The tool whose last good version goes on. */
  serving?: string;
}

export interface OwnToolFilesParts {
  workspace: string;
  process: OwnToolProcess;
  clock: Clock;
  log: Logger;
}

/** A file as it was loaded last. */
interface LoadedFile {
  file: string;
  tool?: OwnTool;
  inputs: readonly string[];
  fault?: OwnToolFault;
}

/** What a look from outside shows: another one tells that a file may have changed. */
interface Look {
  stamps: readonly string[];
  /** Whether no change can show the same: the clock of a file system ticks in steps. */
  isSettled: boolean;
}

const isSameLook = (one: Look, other: Look) =>
  one.stamps.length === other.stamps.length &&
  one.stamps.every((stamp, index) => stamp === other.stamps[index]);

const settlesAfterMs = 2000;
const filesSeenMax = 2000;
const isTool = (name: string) => /\.[tj]s$/.test(name) && !/\.(d|test|spec)\.[tj]s$/.test(name);

/**
 * The tools in the files of a workspace's `tools/` folder; those of its subfolders are there to be imported. A broken change keeps
 * the last good version and is reported beside it.
 */
export class OwnToolFiles implements OwnTools {
  readonly #parts: OwnToolFilesParts;
  readonly #inTurn = inTurn();
  #files: readonly LoadedFile[] = [];
  #tools: ReadonlyMap<string, OwnTool> = new Map();
  #seen: Look = { stamps: [], isSettled: true };

  constructor(parts: OwnToolFilesParts) {
    this.#parts = parts;
  }

  find(name: string): OwnTool | undefined {
    return this.#tools.get(name);
  }

  /** In the order of their names. */
  list(): OwnTool[] {
    return [...this.#tools.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  faults(): OwnToolFault[] {
    return this.#files.flatMap(({ fault }) => fault ?? []);
  }

  call: OwnTools["call"] = (tool, call) => this.#parts.process.call(tool, call);

  /** Loads what changed since the last look. */
  look(): Promise<void> {
    return this.#inTurn(() => this.#refresh());
  }

  close(): void {
    this.#parts.process.close();
  }

  async #refresh(): Promise<void> {
    const paths = this.#paths();
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
    // What was imported for the first time is looked at from now on; what changed while it was loaded is loaded again.
    const now = this.#lookAt(paths);
    this.#seen = look.stamps.every((stamp) => now.stamps.includes(stamp)) ? now : look;
  }

  async #load(path: string, before: ReadonlyMap<string, LoadedFile>): Promise<LoadedFile> {
    const file = relative(this.#parts.workspace, path);
    const known = before.get(file);
    const loaded = await this.#parts.process.load(path);
    if ("fault" in loaded) {
      const { message, file: place, ...at } = loaded.fault;
      const elsewhere =
        place !== undefined && place !== path ? relative(this.#parts.workspace, place) : undefined;
      const said =
        elsewhere === undefined ? message : `imports ${elsewhere}, which has a mistake: ${message}`;
      return broken(file, known, { message: said, ...at });
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
    const told = new Set(this.faults().map(textOf));
    const before = this.#tools;
    this.#files = files;
    this.#tools = new Map(
      files.flatMap(({ tool }) => (tool === undefined ? [] : [[tool.name, tool] as const])),
    );
    const faults = this.faults();
    for (const fault of faults) {
      if (!told.has(textOf(fault))) log.warn("tool.refused", { file: fault.file, message: textOf(fault) });
    }
    const isSame =
      before.size === this.#tools.size && [...before].every(([name, tool]) => this.find(name) === tool);
    if (!isSame) log.info("tools.loaded", { ready: this.#tools.size, refused: faults.length });
  }

  #paths(): string[] {
    const folder = join(this.#parts.workspace, "tools");
    return namesIn(folder)
      .filter((name) => isTool(name) && !name.startsWith("."))
      .sort()
      .map((name) => join(folder, name));
  }

  /** Everything below the folder, and what its files import from elsewhere, as a look from outside shows it. */
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
      stamps: stamps.map(({ text }) => text),
      isSettled: stamps.every(({ changedAtMs }) => changedAtMs < settledBeforeMs),
    };
  }
}

/** A fault as people read it. */
export function textOf({ file, message, line, column, serving }: OwnToolFault): string {
  const place = line === undefined ? file : `${file}:${line}${column === undefined ? "" : `:${column}`}`;
  const goesOn = serving === undefined ? "" : ` (the last good version of ${serving} goes on)`;
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

/** Of two files with one name the one that had it before keeps it, or else the first. */
function namesOnce(files: readonly LoadedFile[], before: ReadonlyMap<string, LoadedFile>): LoadedFile[] {
  const owners = new Map<string, string>();
  const had = ({ file, tool }: LoadedFile) => before.get(file)?.tool?.name === tool?.name;
  for (const one of [...files.filter(had), ...files]) {
    if (one.tool !== undefined && !owners.has(one.tool.name)) owners.set(one.tool.name, one.file);
  }
  return files.map((one) => {
    const owner = one.tool && owners.get(one.tool.name);
    if (owner === undefined || owner === one.file) return one;
    const message = `declares the tool ${one.tool?.name}, which ${owner} declares too; names must be unique`;
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
