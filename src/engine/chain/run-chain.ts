import type { ChainLink, ChainResult } from "../../contracts/daemon/runs/run.ts";
import type { Deadline } from "../../kit/deadline.ts";
import type { RunEvent } from "../run-state/run-event.ts";
import type { Allowance } from "../spending/allowance.ts";
import type { Chain, ChainRun, LinkAnswer } from "./chain.ts";
import { createEventQueue } from "./event-queue.ts";
import { walkChain } from "./walk-chain.ts";

/** Maximum number of links that may fire in one run. */
const linksMax = 256;

/** The answer that a chain follows. */
export interface ChainStart {
  /** The agent that gave it. */
  agent: string;
  query: string;
  said: LinkAnswer;
  allowances: readonly Allowance[];
  /** Returns the id of the chain's result. */
  newId: () => string;
}

/**
 * Runs the agents that follow an answer and returns their results; yields a `step` for each that succeeds. A failing link does not fail the
 * run. The chain ends with its results so far when the deadline passes. Throws the signal's reason if the run is cancelled.
 */
export async function* runChain(
  run: ChainRun,
  chain: Chain,
  { agent, query, said, allowances, newId }: ChainStart,
  deadline: Deadline,
): AsyncGenerator<RunEvent, ChainResult> {
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
    agent,
    query,
    said,
    depth: 1,
    way: [agent],
    steps: new Map(),
    allowances,
  }).finally(events.end);
  let isOver = false;
  try {
    yield* events;
    const { links, stopped } = await walking;
    isOver = true;
    if (deadline.signal.aborted && !deadline.expired) throw deadline.signal.reason;
    return { run_id: newId(), status: chainStatus(links, stopped), mode: chain.mode, links };
  } finally {
    // Stops all work if the reader left early.
    if (!isOver) deadline.abort(new DOMException("The run has ended.", "AbortError"));
    await walking.catch(() => {});
  }
}

/**
 * Status of a chain: `failed` if it was stopped, `completed` if no link failed. If some links failed, `partial` if another one succeeded,
 * otherwise `failed`. Skipped links don't count.
 */
export function chainStatus(
  links: readonly Pick<ChainLink, "status">[],
  stopped: boolean,
): ChainResult["status"] {
  if (stopped) return "failed";
  if (!links.some(({ status }) => status === "error")) return "completed";
  return links.some(({ status }) => status === "success") ? "partial" : "failed";
}
