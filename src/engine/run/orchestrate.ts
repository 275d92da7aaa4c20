import { AppError } from "../../kit/app-error.ts";
import { guardOutput, releaseRest } from "./guard-output.ts";
import { patternRun } from "./pattern-run.ts";
import type { RenderedPrompt } from "./render-prompt.ts";
import type { Run } from "./run.ts";
import type { RunEvent } from "./run-event.ts";
import type { RunnableAgent } from "./runnable-agent.ts";

/** Runs the agent's pattern behind the output guardrails, traced as `orchestration`. */
export async function* orchestrate(run: Run, prompt: RenderedPrompt): AsyncGenerator<RunEvent, void> {
  const { agent, trace } = run;
  const span = trace.start("orchestration", { pattern: agent.pattern.name });
  const answer = agent.outputGuardrails.open();
  const pattern = patternRun(run, prompt, span);
  const { outcome } = yield* guardOutput(run, answer, agent.pattern.run(pattern));
  if (outcome === "max_iterations") throw maxIterations(agent, pattern.maxIterations);
  span.end();
  yield* releaseRest(run, answer);
}

function maxIterations(agent: RunnableAgent, calls: number): AppError {
  return new AppError(
    "unprocessable",
    "max_iterations",
    `Agent ${agent.name} reached ${calls} model calls without an answer.`,
    { details: { hint: "Raise spec.orchestration.max_iterations, or give the agent fewer tools." } },
  );
}
