import type { CaseResult } from "../../contracts/evals/eval-run.ts";
import { toAppError } from "../../kit/app-error.ts";
import type { CheckPorts } from "../checks/check.ts";
import type { Observation } from "../checks/observation.ts";
import { summarize } from "../report/summarize.ts";
import { type Attempt, attemptKey, ownTarget, planAttempts, targetsOf } from "../running/plan-attempts.ts";
import { runAttempts } from "../running/run-attempts.ts";
import { shortenToBytes } from "../running/shorten-result.ts";
import type { HostedEvalDeps } from "./deps.ts";
import { storedEval } from "./read-eval.ts";
import { endEvalRun, evalRunCancelled, keepResult, readResults, requireOpen } from "./run-store.ts";
import type { EvalRunRow } from "./tables.ts";

/** How a service asks the version of a run. */
export interface AskedRuns {
  /**
   * Asks one turn as a run of the owner, in a session of its own, and with the stubs of the case. Throws the refusal that ends the whole run,
   * for example of a used-up limit.
   */
  ask(turn: AskedTurn, signal: AbortSignal): Promise<Observation>;
  /** What a result has cost, in the unit of the service. */
  spentBy(result: CaseResult): number;
  /** Forgets the version and its memory. */
  close(): Promise<void>;
}

/** A turn of a case. */
export interface AskedTurn {
  query: string;
  context: Record<string, unknown>;
  sessionId: string;
  stubs: Attempt["case"]["stubs"][number][];
  /** What happens to a call of a tool without a stub. */
  others: "refuse" | "execute";
  /** False if no later turn reads the conversation. */
  isRemembered: boolean;
}

export interface EvalRunStops {
  /** The process stops: the run stays open for another. */
  stopped: AbortSignal;
  /** A person ended the run. */
  cancelled: AbortSignal;
}

/** Performs a run, or what is left of it. A case that was under way when a process died is asked again. */
export async function performEvalRun(
  deps: HostedEvalDeps,
  runs: AskedRuns,
  run: EvalRunRow,
  { stopped, cancelled }: EvalRunStops,
): Promise<void> {
  const { storage, clock } = deps;
  const end = (ended: Parameters<typeof endEvalRun>[2]) => endEvalRun(storage, run, ended, clock.now());
  const head = { targets: [ownTarget], cases: run.cases, repeat: run.repeat };
  const results = (await readResults(deps, run)).map(({ result }) => result);
  try {
    const { cases, spec } = await storedEval(run.document ?? {});
    const attempts = planAttempts(cases, targetsOf([], []), run.repeat);
    const numbers = new Map(
      attempts.map(({ case: { id }, target: { name }, repeat }, index) => [
        attemptKey({ case: id, target: name, repeat }),
        index + 1,
      ]),
    );
    const { ending } = await runAttempts(
      attempts,
      {
        async ask(attempt, signal) {
          await requireOpen(deps, run);
          return askTurns(
            runs,
            attempt,
            { sessionId: `eval-${deps.newId()}`, others: spec.tools.others },
            signal,
          );
        },
        checks: freeChecks,
        async keep(result) {
          const number = numbers.get(attemptKey(result)) ?? 0;
          const stored = shortenToBytes(result, resultBytesMax);
          await keepResult(deps, run, number, stored, runs.spentBy(result));
          results.push(result);
        },
      },
      {
        concurrency: run.concurrency,
        textCharsMax,
        budget: run.budget === null ? undefined : { limit: run.budget, costOf: runs.spentBy },
        earlier: [...results],
        signal: AbortSignal.any([stopped, cancelled]),
      },
    );
    if (stopped.aborted || cancelled.aborted) return;
    await end({
      status: ending === "complete" ? "complete" : "budget",
      summary: summarize(head, results, ending),
    });
  } catch (thrown) {
    if (stopped.aborted || cancelled.aborted) return;
    const error = toAppError(thrown);
    if (error.code === cancelledCode) return void (await end({ status: "cancelled" }));
    if (error.kind === "internal") deps.log.error("eval_run.broke", { run: run.id, err: thrown });
    await end({ status: "failed", summary: summarize(head, results, "interrupted"), error });
  } finally {
    await runs
      .close()
      .catch((thrown: unknown) => deps.log.warn("eval_run.left_over", { run: run.id, err: thrown }));
  }
}

/** Longest text of a stored result. */
const textCharsMax = 4000;

/** Bytes of one result. Two thousand of them are one run. */
const resultBytesMax = 16 * 1024;

const cancelledCode = evalRunCancelled().code;

/** Hosted evals have no checks that call models. */
const freeChecks: CheckPorts = {
  embed: () => Promise.reject(new TypeError("A hosted eval has no embedder.")),
  judge: () => Promise.reject(new TypeError("A hosted eval has no judge.")),
};

/** Asks the turns of an attempt. Stops at a turn that fails. */
async function askTurns(
  runs: AskedRuns,
  { case: { turns, stubs } }: Attempt,
  of: Pick<AskedTurn, "sessionId" | "others">,
  signal: AbortSignal,
): Promise<Observation[]> {
  const seen: Observation[] = [];
  for (const { query, context } of turns) {
    const isRemembered = turns.length > 1;
    const turn = await runs.ask({ query, context, stubs: [...stubs], isRemembered, ...of }, signal);
    seen.push(turn);
    if (turn.error !== undefined) break;
  }
  return seen;
}
