import type { Run } from "../run/run.ts";
import type { RunEvent } from "../run/run-event.ts";
import type { Allowance } from "../spending/allowance.ts";
import type { Chain, LinkFacts, StepFacts } from "./chain.ts";
import type { LinkAnswer } from "./run-link.ts";

/** The way through the chain of the agent that was asked, and through the chains of the agents it leads to. */
export interface Walk {
  /** Of the agent that was asked. */
  run: Run;
  /** Ends every link. */
  signal: AbortSignal;
  depthMax: number;
  /** How many more links may fire, of all chains together. */
  linksLeft: number;
  tell: (event: RunEvent) => void;
}

/** A part of the way: the chain of one agent that has just answered. */
export interface Stretch {
  chain: Chain;
  agent: string;
  query: string;
  said: LinkAnswer;
  /** Of the links of this chain, from 1. */
  depth: number;
  /** The agents from the one that was asked to this one. */
  way: readonly string[];
  /** What became of the links so far, by agent. */
  steps: Map<string, StepFacts>;
  allowances: readonly Allowance[];
}

/** What the templates of a stretch see now. */
export function factsOf({ run }: Walk, { said, query, steps }: Stretch): LinkFacts {
  const { sessionId, context } = run.request;
  const open = Object.entries(context).filter(([key]) => !key.startsWith("_"));
  return {
    output: { answer: said.answer, data: said.data ?? null },
    trigger: { query, session_id: sessionId, context: Object.fromEntries(open) },
    steps: Object.fromEntries(steps),
  };
}
