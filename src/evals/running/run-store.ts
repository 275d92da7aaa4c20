import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import type { CaseResult, EvalRunEnd, EvalRunHead } from "../../contracts/evals/eval-run.ts";
import { AppError } from "../../kit/app-error.ts";
import { attemptKey } from "./plan-attempts.ts";
import { countedResult } from "./unchecked-result.ts";

/** A run as it is stored; its results may be incomplete. */
export interface StoredRun {
  head: EvalRunHead;
  results: CaseResult[];
}

/** Writes results at the end of a run's file, one write for each. */
export interface ResultsWriter {
  keep(result: CaseResult): void;
  close(): void;
}

const headFile = "run.json";
const resultsFile = "results.jsonl";
const endFile = "end.json";
/** Names the process that writes the run. */
const writerFile = "writer.json";
/** Ids of earlier releases have no milliseconds. */
const idPattern = /^[0-9]{8}T[0-9]{6}([0-9]{3})?Z-[a-z0-9-]{1,63}-[0-9a-f]{6}$/;

/**
 * Runs of evals in a folder, one folder each: `run.json`, then a line of `results.jsonl` for each finished case. A process that is killed
 * loses only the cases under way.
 */
export class RunStore {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Returns an id that sorts by time, to the millisecond: a short eval may run several times within a second. */
  static newId(name: string, at: Date, random: () => number): string {
    const time = at.toISOString().replaceAll(/[-:.]/g, "");
    const tail = Math.floor(random() * 0x1000000)
      .toString(16)
      .padStart(6, "0");
    return `${time}-${name}-${tail}`;
  }

  /** Stores a new run. Throws AppError `eval_run_unwritten` if the disk refuses it. */
  begin(head: EvalRunHead): void {
    const folder = join(this.#folder, head.id);
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      writeFileSync(join(folder, headFile), `${JSON.stringify(head, null, 2)}\n`, {
        flag: "wx",
        mode: 0o600,
      });
    } catch (thrown) {
      throw unwritten(folder, thrown);
    }
  }

  /**
   * Opens the results of a run for more. A last line that a crash cut off is removed first. Throws AppError `eval_run_open` if another
   * process writes the run, and `eval_run_unwritten` if the disk refuses it.
   */
  append(id: string): ResultsWriter {
    if (this.isWrittenElsewhere(id)) throw open(id);
    const folder = join(this.#folder, id);
    try {
      writeFileSync(join(folder, writerFile), JSON.stringify(writerOf(process.pid)), { mode: 0o600 });
      rmSync(join(folder, endFile), { force: true });
      this.#repair(id);
      const file = openSync(join(folder, resultsFile), "a", 0o600);
      return {
        keep: (result) => {
          try {
            writeWhole(file, `${JSON.stringify(result)}\n`);
          } catch (thrown) {
            throw unwritten(folder, thrown);
          }
        },
        close: () => closeSync(file),
      };
    } catch (thrown) {
      throw unwritten(folder, thrown);
    }
  }

  /** Stores how a run ended. */
  end(id: string, end: EvalRunEnd): void {
    const folder = join(this.#folder, id);
    const draft = join(folder, `.${endFile}.draft`);
    try {
      writeFileSync(draft, `${JSON.stringify(end)}\n`, { mode: 0o600 });
      renameSync(draft, join(folder, endFile));
      rmSync(join(folder, writerFile), { force: true });
    } catch (thrown) {
      rmSync(draft, { force: true });
      throw unwritten(folder, thrown);
    }
  }

  /** Returns how a run ended; undefined if it is under way or its process was killed. */
  findEnd(id: string): EvalRunEnd | undefined {
    return readJson(join(this.#folder, id, endFile)) as EvalRunEnd | undefined;
  }

  /** Returns true if another living process writes the run. */
  isWrittenElsewhere(id: string): boolean {
    const writer = readJson(join(this.#folder, id, writerFile)) as Writer | undefined;
    if (writer === undefined || writer.pid === process.pid) return false;
    const now = writerOf(writer.pid);
    return now !== undefined && now.started === writer.started;
  }

  /** Returns the runs, newest first, of one eval or of all. */
  list(name?: string): EvalRunHead[] {
    return [...this.newest({ ...(name !== undefined && { name }) })];
  }

  /** Yields runs, newest first, each read when it is asked for; `before` is the id of the run that the next one follows. */
  *newest({ name, before }: { name?: string; before?: string } = {}): Generator<EvalRunHead, void> {
    const ids = this.ids().filter((id) => before === undefined || id < before);
    for (const id of ids.sort().reverse()) {
      // The id has the name of the eval, so the runs of others are not read.
      if (name !== undefined && !id.includes(`-${name}-`)) continue;
      const head = this.findHead(id);
      if (head !== undefined && (name === undefined || head.eval === name)) yield head;
    }
  }

  /** Returns the ids of all runs, in no order; a run that is just beginning has no head yet. */
  ids(): string[] {
    if (!existsSync(this.#folder)) return [];
    return readdirSync(this.#folder).filter((id) => idPattern.test(id));
  }

  /** Returns a text that changes with each further result of a run, and when the run ends or is resumed. */
  stampOf(id: string): string {
    const stamps = [resultsFile, endFile].map((file) => {
      const fileStatus = statSync(join(this.#folder, id, file), { throwIfNoEntry: false });
      return fileStatus && `${fileStatus.ino}:${fileStatus.mtimeMs}:${fileStatus.size}`;
    });
    return `${id} ${stamps.join(" ")}`;
  }

  /** Returns a number that changes with each further result of a run. */
  sizeOf(id: string): number {
    return statSync(join(this.#folder, id, resultsFile), { throwIfNoEntry: false })?.size ?? 0;
  }

  /** Returns a run by its id, or the newest of the eval `of` for `last`. Throws AppError `eval_run_not_found`. */
  get(id: string, of?: string): StoredRun {
    const head = this.headOf(id, of);
    return { head, results: this.results(head.id) };
  }

  /** Like `get`, without the results. */
  headOf(id: string, of?: string): EvalRunHead {
    const head = id === "last" ? this.list(of)[0] : idPattern.test(id) ? this.findHead(id) : undefined;
    if (head !== undefined) return head;
    const [newest] = this.list(of);
    const hint = newest === undefined ? "Run `argosy eval` first." : `The newest run is ${newest.id}.`;
    throw new AppError("not_found", "eval_run_not_found", `There is no eval run ${JSON.stringify(id)}.`, {
      details: { hint },
    });
  }

  /** Returns the results of a run, each attempt once. A last line that a crash cut off is left out. */
  results(id: string): CaseResult[] {
    const path = join(this.#folder, id, resultsFile);
    if (!existsSync(path)) return [];
    const text = readFileSync(path, "utf8");
    const results = new Map<string, CaseResult>();
    for (const [index, line] of text.split("\n").entries()) {
      if (line === "") continue;
      try {
        const result = countedResult(JSON.parse(line) as CaseResult);
        const key = attemptKey(result);
        if (!results.has(key)) results.set(key, result);
      } catch {
        if (!text.endsWith("\n") && index === text.split("\n").length - 1) break;
        throw new AppError("unprocessable", "eval_run_damaged", `${path}:${index + 1} is not a result.`, {
          details: { hint: "Start a new run without --resume." },
        });
      }
    }
    return [...results.values()];
  }

  /** Lets the next result start on a line of its own. */
  #repair(id: string): void {
    const path = join(this.#folder, id, resultsFile);
    if (!existsSync(path)) return;
    const bytes = readFileSync(path);
    const end = bytes.lastIndexOf(0x0a) + 1;
    if (end < bytes.length) truncateSync(path, end);
  }

  /** Returns the head of a run, which never changes. `id`: one of `ids`. */
  findHead(id: string): EvalRunHead | undefined {
    // A crash before the head was written leaves an empty folder.
    return readJson(join(this.#folder, id, headFile)) as EvalRunHead | undefined;
  }
}

/** A process; `started` tells it from a later one with the same number, where the system says so. */
interface Writer {
  pid: number;
  started?: string;
}

/** Returns the living process with this number. */
function writerOf(pid: number): Writer | undefined {
  try {
    process.kill(pid, 0);
  } catch (thrown) {
    if ((thrown as { code?: unknown }).code === "ESRCH") return undefined;
  }
  try {
    // The name, in parentheses, may have spaces; the start time is the 20th field after it.
    const started = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ")[19];
    return { pid, ...(started !== undefined && { started }) };
  } catch {
    return { pid };
  }
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return undefined;
  }
}

/** Writes all of a text: a full disk may accept only a part, and reports it only by the count. */
function writeWhole(file: number, text: string): void {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
}

function open(id: string): AppError {
  return new AppError("conflict", "eval_run_open", `Another process is running ${id}.`, {
    details: { hint: "Wait until it has ended." },
  });
}

function unwritten(folder: string, thrown: unknown): AppError {
  const code = String((thrown as { code?: unknown }).code);
  const hint = "Free disk space or correct the permissions, then resume the run.";
  return new AppError("unavailable", "eval_run_unwritten", `${folder} can't be written (${code}).`, {
    details: { hint },
    cause: thrown,
  });
}
