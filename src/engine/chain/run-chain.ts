import { AppError } from "../../kit/app-error.ts";
import type { Deadline } from "../../kit/deadline.ts";
import type { Run } from "../run/run.ts";
import type { RunEvent } from "../run/run-event.ts";
import type { Chain } from "./chain.ts";
import { chainStatus } from "./chain-status.ts";
import { createEventQueue } from "./event-queue.ts";
import { walkChain } from "./walk-chain.ts";

/** Maximum number of links that may fire in one run. */
const linksMax = 256;

/**
 * Runs the agents that follow an answer and fills `run.chain`; yields a `step` for each that succeeds. A failing link does not fail the
 * run. The time limit for the answer no longer applies: the chain may use the rest of the caller's limit, and ends with its results so far
 * when that passes. Throws the signal's reason if the run is cancelled.
 */
export async function* runChain(run: Run, chain: Chain, deadline: Deadline): AsyncGenerator<RunEvent, void> {
  const { agent, request, response, structured, trace, ports, tape } = run;
  const startedMs = trace.elapsedMs();
  const timeoutMs = request.limits?.timeoutMs;
  const leftMs = timeoutMs === undefined ? Number.POSITIVE_INFINITY : timeoutMs - startedMs;
  deadline.restart(leftMs, () => timeIsUp(timeoutMs ?? 0));
  const events = createEventQueue<RunEvent>();
  const walk = {
    run,
    signal: deadline.signal,
    depthMax: chain.depthMax,
    linksLeft: linksMax,
    tell: events.push,
  };
  const walking = walkChain(walk, {
    chain,
    agent: agent.name,
    query: run.query,
    said: { answer: response, data: structured?.data },
    depth: 1,
    way: [agent.name],
    steps: new Map(),
    allowances: run.allowances,
  }).finally(events.end);
  let isOver = false;
  try {
    yield* events;
    const { links, stopped } = await walking;
    isOver = true;
    if (deadline.signal.aborted && !deadline.expired) throw deadline.signal.reason;
    const status = chainStatus(links, stopped);
    const runId = tape?.newId({ agent: agent.name }, ports.newId) ?? ports.newId();
    run.chain = { run_id: runId, status, mode: chain.mode, links };
    trace.root.set("chain", status);
  } finally {
    // Stops all work if the reader left early.
    if (!isOver) deadline.abort(new DOMException("The run has ended.", "AbortError"));
    await walking.catch(() => {});
    run.chainMs = trace.elapsedMs() - startedMs;
  }
}

function timeIsUp(timeoutMs: number): AppError {
  return new AppError(
    "timed_out",
    "orchestration_timeout",
    `The time limit of the run, ${timeoutMs / 1000} seconds, has passed.`,
  );
}
