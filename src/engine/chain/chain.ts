import type { ChainLink, ChainResult } from "../../contracts/daemon/run.ts";

/** What the templates of a link see. */
export interface LinkFacts {
  /** What the agent said whose chain it is; `data` is null without an `output_schema`. */
  output: { answer: string; data: unknown };
  /** What that agent was asked. */
  trigger: { query: string; session_id: string; context: Record<string, unknown> };
  /** What became of the links before, by agent; of two by one agent, the later. */
  steps: Record<string, StepFacts>;
}

/** A link that failed or was skipped has neither answer nor data, so that whoever reads them fails by their name. */
export type StepFacts = Pick<ChainLink, "status" | "answer" | "data">;

/** One link of a chain, its templates compiled. */
export interface Link {
  agent: string;
  /** Its condition. Throws AppError `template_failed` that names what is missing. */
  holds: ((facts: LinkFacts) => boolean | Promise<boolean>) | undefined;
  /** Fires when no condition held. */
  isDefault: boolean;
  /** What its agent is asked; absent: the answer so far. Throws as `holds` does. */
  input: ((facts: LinkFacts, held: boolean) => string | Promise<string>) | undefined;
  attemptsMax: number;
  /** Before the second attempt; doubled for each further one. */
  backoffMs: number;
  /** Of one attempt. */
  timeoutMs: number | undefined;
  onError: "stop" | "continue" | { standIn: string };
}

/** An agent's `spec.chain`, compiled once. */
export interface Chain {
  mode: ChainResult["mode"];
  depthMax: number;
  links: readonly Link[];
}
