import type { RunEvent } from "../run-state/run-event.ts";
import type { Allowance } from "../spending/allowance.ts";
import type { Chain, ChainRun, LinkFacts, StepFacts } from "./chain.ts";
import type { LinkAnswer } from "./run-link.ts";

/** State of the walk through the chain of the requested agent and the chains below it. */
export interface ChainWalk {
  /** Run of the requested agent. */
  run: ChainRun;
  /** Stops every link. */
  signal: AbortSignal;
  depthMax: number;
  /** Number of links that may still fire, over all chains. */
  linksLeft: number;
  tell: (event: RunEvent) => void;
}

/** Part of a walk: the chain of one agent that has just answered. */
export interface ChainLevel {
  chain: Chain;
  agent: string;
  query: string;
  said: LinkAnswer;
  /** Depth of this chain's links, starting at 1. */
  depth: number;
  /** Agents from the requested one to this one. */
  way: readonly string[];
  /** Outcomes of the links so far, by agent. */
  steps: Map<string, StepFacts>;
  allowances: readonly Allowance[];
}

/** Current variables of a level's templates. */
export function factsOf({ run }: ChainWalk, { said, query, steps }: ChainLevel): LinkFacts {
  const { sessionId, context } = run.request;
  const open = Object.entries(context).filter(([key]) => !key.startsWith("_"));
  return {
    output: { answer: said.answer, data: said.data ?? null },
    trigger: { query, session_id: sessionId, context: Object.fromEntries(open) },
    steps: Object.fromEntries(steps),
  };
}
