import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import type { CaseResult, EvalRunHead } from "../../contracts/evals/eval-run.ts";
import { AppError } from "../../kit/app-error.ts";
import { attemptKey } from "./plan-attempts.ts";

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

  begin(head: EvalRunHead): void {
    const folder = join(this.#folder, head.id);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(join(folder, headFile), `${JSON.stringify(head, null, 2)}\n`, { flag: "wx", mode: 0o600 });
  }

  /** Opens the results of a run for more. A last line that a crash cut off is removed first. */
  append(id: string): ResultsWriter {
    this.#repair(id);
    const file = openSync(join(this.#folder, id, resultsFile), "a", 0o600);
    return {
      keep: (result) => void writeSync(file, `${JSON.stringify(result)}\n`),
      close: () => closeSync(file),
    };
  }

  /** Returns the runs, newest first, of one eval or of all. */
  list(name?: string): EvalRunHead[] {
    if (!existsSync(this.#folder)) return [];
    const ids = readdirSync(this.#folder).filter((id) => idPattern.test(id));
    return ids
      .sort()
      .reverse()
      .flatMap((id) => this.#head(id) ?? [])
      .filter((head) => name === undefined || head.eval === name);
  }

  /** Returns a run by its id, or the newest of the eval `of` for `last`. Throws AppError `eval_run_not_found`. */
  get(id: string, of?: string): StoredRun {
    const head = id === "last" ? this.list(of)[0] : idPattern.test(id) ? this.#head(id) : undefined;
    if (head !== undefined) return { head, results: this.results(head.id) };
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
        const result = JSON.parse(line) as CaseResult;
        const key = attemptKey(result);
        if (!results.has(key)) results.set(key, result);
      } catch {
        if (!text.endsWith("\n") && index === text.split("\n").length - 1) break;
        throw new AppError("unprocessable", "eval_run_damaged", `${path}:${index + 1} is no result.`, {
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

  #head(id: string): EvalRunHead | undefined {
    try {
      return JSON.parse(readFileSync(join(this.#folder, id, headFile), "utf8")) as EvalRunHead;
    } catch {
      // A crash before the head was written leaves an empty folder.
      return undefined;
    }
  }
}
