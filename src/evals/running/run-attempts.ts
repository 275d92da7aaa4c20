import type { CaseResult, EvalEnding } from "../../contracts/evals/eval-run.ts";
import { countSteps, othersTurn } from "../../kit/concurrency/others-turn.ts";
import type { CheckPorts } from "../checks/check.ts";
import { fixedAnswer, type Observation } from "../checks/observation.ts";
import { evaluateCase } from "./evaluate-case.ts";
import { type Attempt, attemptKey } from "./plan-attempts.ts";
import { shortenResult } from "./shorten-result.ts";

/** Ports that a run of attempts uses. */
export interface AttemptPorts {
  /** Asks the agent all turns of an attempt, up to a turn that fails. Throws AppError for a fault that every case would have. */
  ask(attempt: Attempt, signal: AbortSignal): Promise<Observation[]>;
  checks: CheckPorts;
  /** Stores a result before the next case starts. Throws to end the run. */
  keep(result: CaseResult): void | Promise<void>;
  /** Called after each result. */
  onResult?(result: CaseResult): void;
}

/** Most that a run may spend, in a unit of its own. */
export interface SpendingLimit {
  limit: number;
  /** What a result has cost; null if that is unknown. */
  costOf(result: CaseResult): number | null;
}

export interface AttemptOptions {
  concurrency: number;
  /** Longest text of a result; longer ones are cut once they are checked. */
  textCharsMax: number;
  budget?: SpendingLimit | undefined;
  /** Results of an earlier, interrupted process. */
  earlier: readonly CaseResult[];
  signal: AbortSignal;
}

export interface AttemptsRun {
  results: CaseResult[];
  ending: EvalEnding;
}

/**
 * Runs attempts side by side and keeps each result at once. No attempt starts once the budget is used up, so only the attempts under way
 * can exceed it. A result without a known cost stops a run that has a budget, because the budget could not be kept.
 */
export async function runAttempts(
  attempts: readonly Attempt[],
  ports: AttemptPorts,
  { concurrency, budget: limit, textCharsMax, earlier, signal }: AttemptOptions,
): Promise<AttemptsRun> {
  const wanted = new Set(attempts.map(keyOf));
  const results = earlier.filter((result) => wanted.has(attemptKey(result)));
  const done = new Set(results.map(attemptKey));
  const waiting = attempts.filter((attempt) => !done.has(keyOf(attempt))).values();
  const budget = new RunBudget(limit);
  for (const result of results) budget.add(result);
  const failed = new AbortController();
  const stopping = AbortSignal.any([signal, failed.signal]);
  const work = async () => {
    for (;;) {
      if (stopping.aborted || budget.ending !== undefined) return;
      const { value: attempt, done: isOver } = waiting.next();
      if (isOver || attempt === undefined) return;
      const turns = await observe(attempt, ports, stopping);
      const result = shortenResult(await evaluateCase(attempt, turns, ports.checks, stopping), textCharsMax);
      if (stopping.aborted) return;
      budget.add(result);
      await ports.keep(result);
      results.push(result);
      ports.onResult?.(result);
      // Fixed answers wait for nothing: without a pause, thousands of them would keep the event loop.
      if (countSteps(stepsOfKeeping)) await othersTurn();
    }
  };
  const workers = Array.from({ length: Math.min(concurrency, attempts.length) }, async () => {
    try {
      await work();
    } catch (thrown) {
      if (stopping.aborted) return;
      failed.abort(thrown);
      throw thrown;
    }
  });
  await Promise.all(workers);
  const places = new Map(attempts.map((attempt, at) => [keyOf(attempt), at]));
  const placeOf = (result: CaseResult) => places.get(attemptKey(result)) ?? 0;
  results.sort((one, other) => placeOf(one) - placeOf(other));
  return { results, ending: endingOf(results.length === attempts.length, signal, budget) };
}

function endingOf(isWhole: boolean, signal: AbortSignal, budget: RunBudget): EvalEnding {
  if (isWhole) return "complete";
  return signal.aborted ? "interrupted" : (budget.ending ?? "interrupted");
}

function observe(attempt: Attempt, ports: AttemptPorts, signal: AbortSignal): Promise<Observation[]> {
  const { answer, turns } = attempt.case;
  if (answer === undefined) return ports.ask(attempt, signal);
  return Promise.resolve([fixedAnswer(turns[0]?.query ?? "", answer)]);
}

const keyOf = ({ case: { id }, target: { name }, repeat }: Attempt) =>
  attemptKey({ case: id, target: name, repeat });

/** Building, cutting and writing a result takes 0.2 to 0.4 ms. */
const stepsOfKeeping = 20_000;

/** Counts what a run has spent, in the unit of its budget. */
class RunBudget {
  readonly #budget: SpendingLimit | undefined;
  #spent = 0;
  #isUnknown = false;

  constructor(budget: SpendingLimit | undefined) {
    this.#budget = budget;
  }

  add(result: CaseResult): void {
    const cost = this.#budget?.costOf(result);
    if (cost === null) this.#isUnknown = true;
    else this.#spent += cost ?? 0;
  }

  /** Why no further attempt may start. */
  get ending(): "budget" | "unpriced" | undefined {
    if (this.#budget === undefined) return undefined;
    if (this.#isUnknown) return "unpriced";
    return this.#spent >= this.#budget.limit ? "budget" : undefined;
  }
}
