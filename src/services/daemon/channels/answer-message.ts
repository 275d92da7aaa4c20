import { toAppError } from "../../../kit/app-error.ts";
import { retry } from "../../../kit/retry.ts";
import type { DaemonDeps } from "../deps.ts";
import { runInput } from "../runs/run-input.ts";
import { runOnce } from "../runs/run-once.ts";

/** What somebody wrote, for the agent that answers. */
export interface Question {
  agent: string;
  sessionId: string;
  text: string;
  context: Record<string, unknown>;
  /** Ours: stands in the log beside the run. */
  requestId: string;
}

/** Both a place and room to wait for one may be short for a moment. */
const busyRetry = { attempts: 5, delaysMs: [1_000, 2_000, 5_000, 10_000] };

/** The agent's answer, once there is a place for its run; throws the AppError of a run that fails. */
export function answerMessage(deps: DaemonDeps, question: Question): Promise<string> {
  const { clock, runs, stopping } = deps;
  const run = async () => {
    // Looked up for each try, so that a changed file serves from the next one.
    const agent = deps.catalog.get(question.agent);
    const body = { query: question.text, session_id: question.sessionId, context: question.context };
    const caller = { stream: false, signal: stopping, requestId: question.requestId };
    const { response } = await runOnce(deps, agent, runInput(deps, body, caller), false);
    return response;
  };
  return retry(run, {
    ...busyRetry,
    clock,
    random: runs.random,
    signal: stopping,
    shouldRetry: (thrown) => toAppError(thrown).code === "too_busy",
  });
}
