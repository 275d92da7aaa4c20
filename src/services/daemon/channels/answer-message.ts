import { toAppError } from "../../../kit/app-error.ts";
import { retry } from "../../../kit/retry.ts";
import type { RunDeps } from "../runs/admit-run.ts";
import { imagesFor } from "../runs/images-for.ts";
import { locateAgent } from "../runs/locate-agent.ts";
import { runInput } from "../runs/run-input.ts";
import { runOnce } from "../runs/run-once.ts";
import type { ChannelAnswer, ChannelQuestion } from "./process-event.ts";

/** Both the running places and the waiting queue may be full for a moment. */
const busyRetry = { attempts: 5, delaysMs: [1_000, 2_000, 5_000, 10_000] };

/** Runs the agent when a place is free and returns its answer with its trace. Throws the AppError of a failed run. */
export function answerMessage(deps: RunDeps, question: ChannelQuestion): Promise<ChannelAnswer> {
  const { clock, runs, stopping } = deps;
  const run = async () => {
    // Looked up for each attempt, so a changed file takes effect at the next one.
    const agent = await locateAgent(deps, question.agent, { sender: "owner" });
    const body = { query: question.text, session_id: question.sessionId, context: question.context };
    const caller = { stream: false, signal: stopping, requestId: question.requestId };
    const { response, trace_id: traceId } = await runOnce(deps, agent, {
      ...runInput(deps, body, caller),
      ...imagesFor(agent.loaded, question.images),
    });
    return { text: response, traceId };
  };
  return retry(run, {
    ...busyRetry,
    clock,
    random: runs.random,
    signal: stopping,
    shouldRetry: (thrown) => toAppError(thrown).code === "too_busy",
  });
}
