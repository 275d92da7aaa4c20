import type { RunnableAgent } from "../agents/runnable-agent.ts";
import type { RunPorts } from "../run/run.ts";
import { runAgent } from "../run/run-agent.ts";
import type { RunEvent } from "../run-state/run-event.ts";
import type { EngineRequest } from "../run-state/run-request.ts";
import { Journal } from "./journal.ts";
import type { KeptSteps } from "./kept-steps.ts";
import type { PausedRun, Resumption } from "./paused-run.ts";
import { isRunWaiting } from "./run-waits.ts";
import { SentEvents } from "./sent-events.ts";

/**
 * Runs an agent as `runAgent` does. If a call needs a person's approval or a result from the caller, the run ends without `done` and
 * returns the data for resuming it. A resumed run yields only events that were not sent before its pause. It does not repeat, request or
 * count anything a second time. With `steps`, the run is durable.
 */
export async function* runWithApprovals(
  ports: RunPorts,
  agent: RunnableAgent,
  request: EngineRequest,
  resumption?: Resumption,
  steps?: KeptSteps,
): AsyncGenerator<RunEvent, PausedRun | undefined> {
  const journal = new Journal(ports.clock, resumption, steps);
  const sent = new SentEvents(resumption?.run.told);
  const counting = resumption === undefined ? ports : countingNews(ports, journal);
  try {
    const events = runAgent(counting, agent, {
      ...request,
      interceptor: journal,
      cancelledBy: [...request.cancelledBy, journal.paused],
    });
    for await (const event of events) {
      const news = sent.news(event);
      if (news !== undefined) yield news;
    }
    return undefined;
  } catch (thrown) {
    const { waiting } = journal;
    if (waiting === undefined || !isRunWaiting(thrown)) throw thrown;
    return { ...waiting, told: sent.sent() };
  } finally {
    journal.dispose();
  }
}

/** Played calls were counted when they were carried out. */
function countingNews(ports: RunPorts, journal: Journal): RunPorts {
  const { observer } = ports;
  return {
    ...ports,
    observer: {
      runStarted: observer.runStarted,
      runFinished: observer.runFinished,
      memoryFailed(fault) {
        if (!journal.isPlaying) observer.memoryFailed(fault);
      },
      toolExecuted(call) {
        if (!journal.isPlaying) observer.toolExecuted(call);
      },
    },
  };
}
