import type { Run } from "../run/run.ts";
import type { RunEvent } from "../run/run-event.ts";
import type { Allowance } from "../spending/allowance.ts";
import type { Chain, LinkFacts, StepFacts } from "./chain.ts";
import type { LinkAnswer } from "./run-link.ts";

/** State of the walk through the chain of the requested agent and the chains below it. */
export interface Walk {
  /** Run of the requested agent. */
  run: Run;
  /** Stops every link. */
  signal: AbortSignal;
  depthMax: number;
  /** Number of links that may still fire, over all chains. */
  linksLeft: number;
  tell: (event: RunEvent) => void;
}

/** Part of a walk: the chain of one agent that has just answered. */
export interface Stretch {
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

/** Current variables of a stretch's templates. */
export function factsOf({ run }: Walk, { said, query, steps }: Stretch): LinkFacts {
  const { sessionId, context } = run.request;
  const open = Object.entries(context).filter(([key]) => !key.startsWith("_"));
  return {
    output: { answer: said.answer, data: said.data ?? null },
    trigger: { query, session_id: sessionId, context: Object.fromEntries(open) },
    steps: Object.fromEntries(steps),
  };
}
