import type { RunnableAgent } from "../agents/runnable-agent.ts";
import type { RunPorts } from "../run/run.ts";
import { runAgent } from "../run/run-agent.ts";
import type { RunEvent } from "../run-state/run-event.ts";
import type { EngineRequest } from "../run-state/run-request.ts";
import { Journal } from "./journal.ts";
import type { KeptSteps } from "./kept-steps.ts";

/** Runs an agent as `runAgent` does, and keeps its steps. What a process before this one did is not done again. */
export async function* runDurably(
  ports: RunPorts,
  agent: RunnableAgent,
  request: EngineRequest,
  steps: KeptSteps,
): AsyncGenerator<RunEvent, void> {
  const journal = new Journal(ports.clock, undefined, steps);
  try {
    const cancelledBy = [...request.cancelledBy, journal.paused];
    yield* runAgent(ports, agent, { ...request, interceptor: journal, cancelledBy });
  } finally {
    journal.dispose();
  }
}
