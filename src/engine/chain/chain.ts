import type { ChainLink, ChainResult } from "../../contracts/daemon/runs/run.ts";
import type { Clock } from "../../kit/clock.ts";
import type { Logger } from "../../kit/log.ts";
import type { GuardrailChain } from "../guardrails/chain.ts";
import type { Interceptor } from "../run-state/interceptor.ts";
import type { RunEvent } from "../run-state/run-event.ts";
import type { EngineRequest, SubRun } from "../run-state/run-request.ts";
import type { Allowance } from "../spending/allowance.ts";
import type { RunTrace } from "../telemetry/trace-recorder.ts";

/** Variables of a link's templates. */
export interface LinkFacts {
  /** Answer of the agent that has the chain; `data` is null without an `output_schema`. */
  output: { answer: string; data: unknown };
  /** Request to that agent. */
  trigger: { query: string; session_id: string; context: Record<string, unknown> };
  /** Outcomes of the earlier links, by agent. If an agent ran twice, the later outcome. */
  steps: Record<string, StepFacts>;
}

/** If a link failed or was skipped, it has neither answer nor data, so templates that read them fail and name the missing field. */
export type StepFacts = Pick<ChainLink, "status" | "answer" | "data">;

/** One link of a chain with compiled templates. */
export interface Link {
  agent: string;
  /** Evaluates the link's condition. Throws AppError `template_failed` that names the missing value. */
  holds: ((facts: LinkFacts) => boolean | Promise<boolean>) | undefined;
  /** Fires if no condition held. */
  isDefault: boolean;
  /** Renders the request to the agent; absent: the request is the answer so far. Throws as `holds` does. */
  input: ((facts: LinkFacts, held: boolean) => string | Promise<string>) | undefined;
  attemptsMax: number;
  /** Wait before the second attempt, in milliseconds. It doubles for each further attempt. */
  backoffMs: number;
  /** Time limit of one attempt, in milliseconds. */
  timeoutMs: number | undefined;
  onError: "stop" | "continue" | { standIn: string };
}

/** An agent's `spec.chain`, compiled once. */
export interface Chain {
  mode: ChainResult["mode"];
  depthMax: number;
  links: readonly Link[];
}

/** The run of the agent that was asked, as its chain uses it. */
export interface ChainRun {
  request: Pick<EngineRequest, "sessionId" | "context">;
  /** Every answer of the chain passes them, because it leaves with the answer of the agent that was asked. */
  guardrails: Pick<GuardrailChain, "filterValue">;
  trace: Pick<RunTrace, "start">;
  interceptor?: Pick<Interceptor, "isPlaying"> | undefined;
  clock: Clock;
  log: Pick<Logger, "error">;
  /** The chain of another agent; undefined if it has none. */
  chainOf(agent: string): Chain | undefined;
  /** Runs an agent inside this run. Throws AppError if it can't be started. */
  startSubRun(sub: SubRun): AsyncIterable<RunEvent>;
}

/** Answer of an agent; `data` is undefined if it declares no `output_schema`. */
export interface LinkAnswer {
  answer: string;
  data: unknown;
}

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
