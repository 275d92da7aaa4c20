import { toAppError } from "../../../kit/app-error.ts";
import { mergeAsync } from "../../../kit/concurrency/merge-async.ts";
import { isRestoredStop } from "../../run-state/recorded-error.ts";
import type { RunEvent } from "../../run-state/run-event.ts";
import { iterationsLeft, type Pattern, type PatternRun } from "../pattern.ts";
import {
  answerDirectly,
  askForTasks,
  isTooShortToPlan,
  planOf,
  resultOf,
  type Subtask,
  shareOf,
  synthesize,
  type TaskPlan,
  threadFor,
  workOn,
} from "../tasks/subtask.ts";
import { listed, splitInstruction, type TaskResult, taskInstruction } from "../tasks/task-prompts.ts";
import type { ModelThread } from "../thread.ts";

const childrenMin = 2;
const childrenMax = 4;

/** A subtask that runs in parallel with others. */
interface Child {
  run: PatternRun;
  thread: ModelThread;
  task: string;
  work: Subtask;
}

/**
 * A planner splits the request, workers carry out the parts in parallel, and a synthesizer answers from their results. Model calls and
 * allowances are divided evenly in advance, and one share of each is kept for the synthesis. The synthesizer learns which parts failed. If
 * all parts failed, the run fails with the first error.
 */
export const parallelFanOut: Pattern = async function* (run) {
  if (isTooShortToPlan(run)) return yield* answerDirectly(run);
  const planned = yield* askForTasks(run, splitInstruction(childrenMin, childrenMax));
  const plan = planOf(run, planned.slice(0, childrenMax), iterationsLeft(run) - 1);
  yield { type: "step", name: "plan", content: listed(plan.tasks) };
  const stop = new AbortController();
  const children = fannedOut(run, plan, AbortSignal.any([run.signal, stop.signal]));
  const results: TaskResult[] = [];
  const failures: unknown[] = [];
  const working = children.map((child, index) =>
    workAlong(child, failures, (result) => {
      results[index] = result;
    }),
  );
  yield* mergeAsync(working, () => stop.abort(new DOMException("The other parts have ended.", "AbortError")));
  if (failures.length > 0 && !results.some(({ ok }) => ok)) throw failures[0];
  return yield* synthesize(run, results);
};

function fannedOut(run: PatternRun, { tasks, isWhole }: TaskPlan, signal: AbortSignal): Child[] {
  const shares = run.main.allowances.map((allowance) => allowance.split(tasks.length + 1));
  let turns = iterationsLeft(run) - 1;
  return tasks.map((task, index) => {
    const number = index + 1;
    const turnsMax = shareOf(turns, tasks.length - index);
    turns -= turnsMax;
    return {
      run: { ...run, signal },
      thread: {
        ...threadFor(run, isWhole ? "" : taskInstruction(tasks, number, []), false),
        allowances: shares.flatMap((parts) => parts[index] ?? []),
        toolContext: { ...run.main.toolContext, signal },
      },
      task,
      work: { name: `subtask ${number}`, number, role: "worker", speak: false, turnsMax },
    };
  });
}

/** Carries out one part. If it fails, the error becomes its result, unless the run has been stopped. */
async function* workAlong(
  { run, thread, task, work }: Child,
  failures: unknown[],
  finished: (result: TaskResult) => void,
): AsyncGenerator<RunEvent, void> {
  let result: TaskResult;
  try {
    result = resultOf(task, yield* workOn(run, thread, work));
  } catch (thrown) {
    if (run.signal.aborted || isRestoredStop(thrown)) throw thrown;
    const { code, kind, message } = toAppError(thrown);
    const { log } = thread.toolContext;
    if (kind === "internal") log.error("subtask.failed", { agent: thread.agent, err: thrown });
    failures.push(thrown);
    result = { task, text: `Failed (${code}): ${message}`, ok: false };
  }
  finished(result);
  yield { type: "step", name: work.name, content: result.text };
}
