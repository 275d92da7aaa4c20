import { iterationsLeft, type Pattern } from "../pattern.ts";
import {
  answerDirectly,
  askForTasks,
  isTooShortToPlan,
  planOf,
  resultOf,
  shareOf,
  shortened,
  synthesize,
  threadFor,
  workOn,
} from "../tasks/subtask.ts";
import { listed, planInstruction, type TaskResult, taskInstruction } from "../tasks/task-prompts.ts";

const stepsMax = 10;

/**
 * A planner writes steps, workers carry them out in sequence, and a synthesizer answers from their results. One model call is kept for the
 * synthesis. The steps share the rest, each gets at least one, and unused calls go to the next.
 */
export const planAndExecute: Pattern = async function* (run) {
  if (isTooShortToPlan(run)) return yield* answerDirectly(run);
  const instruction = planInstruction(Math.min(stepsMax, iterationsLeft(run) - 2));
  const planned = yield* askForTasks(run, instruction);
  const { tasks, isWhole } = planOf(run, planned, Math.min(stepsMax, iterationsLeft(run) - 1));
  yield { type: "step", name: "plan", content: listed(tasks) };
  const results: TaskResult[] = [];
  for (const [index, task] of tasks.entries()) {
    const number = index + 1;
    const name = `step ${number}`;
    const taskText = isWhole ? "" : taskInstruction(tasks, number, shortened(run, "worker", results));
    const turnsMax = shareOf(iterationsLeft(run) - 1, tasks.length - index);
    const work = { name, number, role: "worker", speak: false, turnsMax };
    const result = resultOf(task, yield* workOn(run, threadFor(run, taskText, false), work));
    results.push(result);
    yield { type: "step", name, content: result.text };
  }
  return yield* synthesize(run, results);
};
