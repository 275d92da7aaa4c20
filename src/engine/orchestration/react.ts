import { AppError } from "../../kit/app-error.ts";
import { callTools } from "./call-tools.ts";
import { modelTurn } from "./model-turn.ts";
import type { Pattern } from "./pattern.ts";

/**
 * Reason and act: the model is called until it answers without asking for a tool.
 * The last call that `maxIterations` allows forbids tools, so that a run ends with an answer where one can be given.
 */
export const react: Pattern = async function* (run) {
  for (let iteration = 1; iteration <= run.maxIterations; iteration++) {
    const last = iteration === run.maxIterations;
    const turn = yield* modelTurn(run, last ? "none" : "auto");
    if (turn.calls.length > 0 && !last) {
      yield* callTools(run, turn.calls);
      continue;
    }
    if (run.state.answer !== "") return { outcome: "answered" };
    if (last && turn.calls.length > 0) break;
    throw new AppError(
      "upstream_failed",
      "provider_failed",
      `${run.state.provider}/${run.state.model} answered with no text and no tool call.`,
    );
  }
  return { outcome: "max_iterations" };
};
