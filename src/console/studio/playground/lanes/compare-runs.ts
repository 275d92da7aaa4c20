import type { ShownRun } from "../../../runs/run-state.ts";

/** Numbers of a run, as far as they are known. */
export interface RunNumbers {
  totalMs?: number | undefined;
  firstTokenMs?: number | undefined;
  inputTokens?: number | undefined;
  outputTokens?: number | undefined;
  costUsd?: number | undefined;
}

export type RunNumber = keyof RunNumbers;

/** Returns the numbers of a finished run, both times by the page's clock; the cost is in its trace. */
export function runNumbers(
  { beganMs, firstTokenMs, endedMs, parts, done }: ShownRun,
  costUsd?: number,
): RunNumbers {
  // If the run waited for a person, the page's clock would include that time.
  const hasWaited = parts.some(({ kind }) => kind === "decision" || kind === "answer");
  const since = (ms: number | undefined) => (ms === undefined ? undefined : ms - beganMs);
  return {
    totalMs: hasWaited || done === undefined ? done?.timing.total_ms : since(endedMs),
    firstTokenMs: hasWaited ? undefined : since(firstTokenMs),
    inputTokens: done?.usage.input_tokens,
    outputTokens: done?.usage.output_tokens,
    costUsd,
  };
}

export interface ComparedNumber {
  name: RunNumber;
  /** Of each run, in their order. */
  values: readonly (number | undefined)[];
  /** Of two runs: the second minus the first, and as a share of the first. */
  difference?: number;
  share?: number;
}

const order: readonly RunNumber[] = ["totalMs", "firstTokenMs", "inputTokens", "outputTokens", "costUsd"];

/** Compares the numbers of runs; omits those that none has. */
export function compareRuns(runs: readonly RunNumbers[]): ComparedNumber[] {
  return order.flatMap((name): ComparedNumber[] => {
    const values = runs.map((run) => run[name]);
    if (values.every((value) => value === undefined)) return [];
    const [left, right] = values;
    if (values.length !== 2 || left === undefined || right === undefined) return [{ name, values }];
    const difference = right - left;
    return [{ name, values, difference, ...(left === 0 ? {} : { share: difference / left }) }];
  });
}
