import type { ChainLink, ChainResult } from "../../contracts/daemon/run.ts";
import type { Clock } from "../../kit/clock.ts";
import type { Logger } from "../../kit/log.ts";
import type { GuardrailChain } from "../guardrails/chain.ts";
import type { RunEvent } from "../run-state/run-event.ts";
import type { RunRequest, SubRun } from "../run-state/run-request.ts";
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
  request: Pick<RunRequest, "sessionId" | "context">;
  /** Every answer of the chain passes them, because it leaves with the answer of the agent that was asked. */
  guardrails: Pick<GuardrailChain, "filterValue">;
  trace: Pick<RunTrace, "start">;
  clock: Clock;
  log: Pick<Logger, "error">;
  /** The chain of another agent; undefined if it has none. */
  chainOf(agent: string): Chain | undefined;
  /** Runs an agent inside this run. Throws AppError if it can't be started. */
  startSubRun(sub: SubRun): AsyncIterable<RunEvent>;
}
