import type { ChainLink, ChainResult } from "../../contracts/daemon/runs/run.ts";

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
