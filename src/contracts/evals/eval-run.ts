/** Result of one check, in results and reports. */
export interface CheckOutcome {
  check: string;
  kind: string;
  /** Number of the turn, from 1; absent: a check of the whole case. */
  turn?: number;
  passed: boolean;
  /** True if it never fails a case. */
  informative?: true;
  /** From 0 to 1. */
  score?: number;
  reason?: string;
  votes?: { passed: number; of: number };
}

/** Question and answer of one turn. */
export interface TurnResult {
  query: string;
  response: string;
  error?: { code: string; message: string };
  calls: { tool: string; input: Record<string, unknown>; output: unknown }[];
  trace_id?: string;
  /** On the platform, the run in the tenant's records. */
  invocation_id?: string;
}

/** Result of one run of one case. */
export interface CaseResult {
  case: string;
  target: string;
  /** Number of the repetition, from 1. */
  repeat: number;
  passed: boolean;
  checks: CheckOutcome[];
  turns: TurnResult[];
  expected?: string;
  label?: "pass" | "fail";
  tags?: string[];
  model?: string;
  simulated?: true;
  steps: number;
  tokens: number;
  /** Cost of the answer and of judges, in US dollars; null if a price is unknown. */
  cost_usd: number | null;
  /** On the platform, in place of `cost_usd`: credits that the case was charged. */
  credits_micros?: number;
  latency_ms: number;
}

/** Facts of a run that are known before its first case. */
export interface EvalRunHead {
  id: string;
  eval: string;
  /** File of the eval, as the user named it. */
  file: string;
  agent: string;
  /** SHA-256 of the agent's manifest. */
  agent_checksum: string;
  /** Checksum of the agent's newest manifest, as the agent's versions have it; absent in runs of earlier releases. */
  agent_manifest?: string;
  /** Version that was asked in every case; absent: the one in service at the time. */
  agent_fingerprint?: string;
  /** SHA-256 of the eval's cases, checks and tools, whatever the targets; absent in runs of other or selected targets and cases. */
  content?: string;
  argosy: string;
  started_at: string;
  mode: "live" | "record" | "replay";
  /** SHA-256 of cases, checks, targets and the agent; a run resumes only while it is the same. */
  digest: string;
  targets: string[];
  cases: number;
  repeat: number;
  budget_usd?: number;
  /** Choices that a resumed run repeats; absent ones are the file's. */
  choices?: EvalRunChoices;
}

/** What a run asked besides the agent as it is. */
export interface RunTarget {
  name: string;
  agent?: string;
  model?: string;
  prompt?: string;
  temperature?: number;
}

/** Choices of a run in place of the file's. */
export interface EvalRunChoices {
  agent?: string;
  models?: string[];
  variants?: { name: string; prompt: string }[];
  targets?: RunTarget[];
  judge?: string;
  tags?: string[];
  repeat?: number;
  concurrency?: number;
}

/** What a stored run is doing, or how it ended. */
export type EvalRunState = "queued" | "running" | EvalRunEnd["status"];

/** End of a run. A run without it is under way, or its process was killed. */
export interface EvalRunEnd {
  status: EvalEnding | "cancelled" | "failed";
  ended_at: string;
  summary: EvalSummary;
  /** True if a result is simulated. */
  simulated: boolean;
  /** Reason of `failed`. */
  error?: { error: string; message: string };
}

/** How a run ended. `budget`: the rest was not started; `unpriced`: a price is unknown, so the budget can't be kept. */
export type EvalEnding = "complete" | "budget" | "unpriced" | "interrupted";

/** Pass rate of one target, over its cases. */
export interface TargetSummary {
  target: string;
  cases: number;
  /** Runs of cases, repetitions included. */
  runs: number;
  passed: number;
  /** Mean over cases of the fraction of passed repetitions. */
  pass_rate: number;
  /** Wilson interval of the pass rate at 95 %, over cases. */
  interval: [low: number, high: number];
  /** Ids of cases whose repetitions differ. */
  unstable: string[];
  tokens: number;
  cost_usd: number;
  /** Runs whose cost is unknown and not in `cost_usd`. */
  unpriced_runs: number;
  latency_ms: { p50: number; p95: number };
  /** Exact paired test against the first target. */
  against_first?: PairedTest;
}

/** Exact sign test over cases that differ; with one repetition it is McNemar's exact test. */
export interface PairedTest {
  better: number;
  worse: number;
  p_value: number;
  note: string;
}

/** Agreement of judges with people, over results with a label. */
export interface LabelAgreement {
  labelled: number;
  agreed: number;
  /** Cohen's kappa; null if it is not defined. */
  kappa: number | null;
  /** Judge checks whose votes were split. */
  split_votes: number;
}

export interface EvalSummary {
  targets: TargetSummary[];
  failed_runs: number;
  finished_runs: number;
  planned_runs: number;
  ending: EvalEnding;
  spent_usd: number;
  labels?: LabelAgreement;
}

/** A run with its results. */
export interface EvalRun {
  run: EvalRunHead;
  summary: EvalSummary;
  results: CaseResult[];
}

/** One case in two runs. */
export interface CaseChange {
  case: string;
  target: string;
  change: "regressed" | "improved" | "failing" | "passing" | "added" | "removed";
  before?: SideOfChange;
  after?: SideOfChange;
}

export interface SideOfChange {
  passed: number;
  of: number;
  /** Last answer of the first failed repetition, or else of the first. */
  response: string;
  /** Failed checks of that repetition. */
  failed: CheckOutcome[];
  trace_id?: string;
}

export interface EvalComparison {
  before: EvalRunHead;
  after: EvalRunHead;
  counts: Record<CaseChange["change"], number>;
  test: PairedTest;
  /** Regressions first. */
  changes: CaseChange[];
}
