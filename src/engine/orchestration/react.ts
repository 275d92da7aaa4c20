import { AppError } from "../../kit/app-error.ts";
import { callTools } from "./call-tools.ts";
import { modelTurn } from "./model-turn.ts";
import type { Pattern } from "./pattern.ts";

/**
 * Reason and act: the model is called until it answers without asking for a tool.
 * The last call that `maxIterations` allows forbids tools, so that a run ends with an answer where one can be given.
 */
export const react: Pattern = async function* (run) {
  for (let left = run.maxIterations; left > 1; left--) {
    const turn = yield* modelTurn(run, "auto");
    if (turn.calls.length > 0) yield* callTools(run, turn.calls);
    else if (run.state.answer !== "") return { outcome: "answered" };
    else throw emptyAnswer(run.state);
  }
  const turn = yield* modelTurn(run, "none");
  if (turn.text !== "") return { outcome: "answered" };
  if (run.tools.size > 0 || turn.calls.length > 0) return { outcome: "max_iterations" };
  throw emptyAnswer(run.state);
};

function emptyAnswer({ provider, model }: { provider: string; model: string }): AppError {
  return new AppError(
    "upstream_failed",
    "provider_failed",
    `${provider}/${model} answered with no text and no tool call.`,
  );
}
