import { AppError } from "../../../kit/app-error.ts";
import { iterationsLeft, type Pattern, type PatternRun } from "../pattern.ts";
import { concluded, shareOf, threadFor, workOn } from "../tasks/subtask.ts";

/**
 * Runs the stages in order, each with the conversation and its instruction; the last stage answers. The stages share the model calls: each
 * gets at least one, and unused ones go to the next. A stage without a result ends the run.
 */
export const pipeline: Pattern = async function* (run) {
  const { stages } = run;
  if (iterationsLeft(run) < stages.length) throw tooManyStages(run);
  const outputs: Record<string, string> = {};
  let previous = "";
  for (const [index, { name, instruction }] of stages.entries()) {
    const speak = index === stages.length - 1;
    const turnsMax = shareOf(iterationsLeft(run), stages.length - index);
    const thread = threadFor(run, await instruction({ previous, outputs }), speak);
    const end = yield* workOn(run, thread, {
      name,
      number: index + 1,
      role: `stage:${name}`,
      speak,
      turnsMax,
    });
    if (speak || end.stop !== "answered") return concluded(run, end);
    previous = end.text;
    outputs[name] = previous;
    yield { type: "step", name, content: previous };
  }
  return { stop: "max_iterations" };
};

function tooManyStages({ stages, main, maxIterations }: PatternRun): AppError {
  return new AppError(
    "unprocessable",
    "max_iterations",
    `Agent ${main.agent} has ${stages.length} stages, and each needs a model call: ${maxIterations} are allowed.`,
    { details: { hint: "Raise spec.orchestration.max_iterations, or give the agent fewer stages." } },
  );
}
