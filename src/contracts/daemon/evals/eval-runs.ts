import { type Static, Type } from "@sinclair/typebox";
import type { CaseResult, EvalSummary } from "../../evals/eval-run.ts";

const optionalText = (description: string) => Type.Optional(Type.String({ description }));
const modelName = Type.String({ pattern: "^[^/]{1,63}/.{1,255}$", fault: "must be provider/model" });

/** One column of an experiment. */
export const EvalTargetOrder = Type.Object(
  {
    name: Type.Optional(
      Type.String({
        pattern: "^(?!agent$)[^\\u0000-\\u001f]{1,100}$",
        fault: "must be 1 to 100 characters, and not `agent`",
        description: "Name in results. Default: what is changed; `agent` if nothing is.",
      }),
    ),
    agent: Type.Optional(
      Type.String({ minLength: 1, maxLength: 63, description: "Agent to ask. Default: that of the run." }),
    ),
    model: Type.Optional(modelName),
    prompt: Type.Optional(Type.String({ minLength: 1, maxLength: 131_072, description: "System prompt." })),
    temperature: Type.Optional(Type.Number({ minimum: 0, maximum: 2 })),
  },
  { additionalProperties: false },
);
export type EvalTargetOrder = Static<typeof EvalTargetOrder>;

/** Options of a run; absent ones are the file's. */
export const EvalRunOrder = Type.Object(
  {
    agent: Type.Optional(
      Type.String({ minLength: 1, maxLength: 63, description: "Agent to ask instead of the file's." }),
    ),
    models: Type.Optional(
      Type.Array(modelName, {
        minItems: 1,
        maxItems: 16,
        uniqueItems: true,
        description: "Models to compare, as `provider/model`.",
      }),
    ),
    variants: Type.Optional(
      Type.Array(
        Type.Object(
          {
            name: Type.String({ minLength: 1, maxLength: 255 }),
            prompt: Type.String({ minLength: 1, maxLength: 262_144, description: "System prompt." }),
          },
          { additionalProperties: false },
        ),
        { maxItems: 16, description: "System prompts to compare with the agent's own." },
      ),
    ),
    targets: Type.Optional(
      Type.Array(EvalTargetOrder, {
        minItems: 1,
        maxItems: 16,
        description:
          "What is asked each case, in place of `models` and `variants`. Each target has another name.",
      }),
    ),
    judge: Type.Optional(modelName),
    tags: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 63 }), {
        minItems: 1,
        maxItems: 16,
        description: "Runs only cases with one of these tags.",
      }),
    ),
    repeat: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
    concurrency: Type.Optional(Type.Integer({ minimum: 1, maximum: 64 })),
    budget_usd: Type.Optional(
      Type.Union([Type.Number({ minimum: 0, maximum: 100_000 }), Type.Null()], {
        description:
          "Starts no further case once this much is spent. Default: the file's. If neither says so and the prices of all models are known: 5; `null`: no budget then.",
      }),
    ),
    candidate: Type.Optional(
      Type.Boolean({
        description: "True to ask the newest version, even if its release gate refuses it.",
      }),
    ),
    mode: Type.Optional(
      Type.Union([Type.Literal("live"), Type.Literal("record"), Type.Literal("replay")], {
        description:
          "`record` keeps a recording of each case beside the file; `replay` answers from them and calls no model. Default: `live`.",
      }),
    ),
  },
  { additionalProperties: false },
);
export type EvalRunOrder = Static<typeof EvalRunOrder>;

/** Run of an eval in any file of this machine. */
export const EvalFileOrder = Type.Object(
  {
    ...EvalRunOrder.properties,
    file: Type.String({ minLength: 1, maxLength: 4096, description: "Absolute path of the file." }),
  },
  { additionalProperties: false },
);
export type EvalFileOrder = Static<typeof EvalFileOrder>;

export const EvalPlan = Type.Object({
  agent: Type.String(),
  cases: Type.Integer(),
  targets: Type.Array(Type.String(), { description: "Combinations of models and prompts that are asked." }),
  repeat: Type.Integer(),
  runs: Type.Integer({ description: "Results that the run will have: cases × targets × repetitions." }),
  agent_calls: Type.Integer({
    description: "Messages that the agent will get. Each needs one model call or more.",
  }),
  judge_calls: Type.Integer({ description: "Calls of judges, votes included." }),
  budget_usd: Type.Optional(Type.Number()),
});
export type EvalPlan = Static<typeof EvalPlan>;

export type EvalRunStatus =
  | "running"
  | "complete"
  | "budget"
  | "unpriced"
  | "cancelled"
  | "interrupted"
  | "failed";

export const EvalRunStatus = Type.Unsafe<EvalRunStatus>(
  Type.Union(
    ["running", "complete", "budget", "unpriced", "cancelled", "interrupted", "failed"].map((name) =>
      Type.Literal(name),
    ),
    {
      description:
        "`budget`: it is used up; `unpriced`: a price is unknown, so the budget can't be kept; `interrupted`: the process ended before the run; `failed`: see `error`. All but `complete` and `running` can be resumed.",
    },
  ),
);

/** A run in a list. */
export const EvalRunBrief = Type.Object({
  id: Type.String(),
  eval: Type.String(),
  agent: Type.String(),
  agent_checksum: Type.String({ description: "SHA-256 of the agent's manifest." }),
  agent_manifest: Type.Optional(
    Type.String({
      description: "`checksum` of the agent's version that was asked; absent in runs of earlier releases.",
    }),
  ),
  mode: Type.String(),
  status: EvalRunStatus,
  started_at: Type.String({ description: "ISO 8601 UTC." }),
  ended_at: Type.Optional(Type.String()),
  targets: Type.Array(Type.String()),
  cases: Type.Integer(),
  repeat: Type.Integer(),
  planned: Type.Integer({ description: "Results that the run has when it is complete." }),
  finished: Type.Integer(),
  failed: Type.Integer(),
  pass_rate: Type.Union([Type.Number(), Type.Null()], {
    description: "Pass rate of the first target, 0 to 1; null before its first result.",
  }),
  spent_usd: Type.Number({ description: "Known cost of its results, in US dollars." }),
  unpriced: Type.Integer({ description: "Results whose cost is at least partly unknown." }),
  budget_usd: Type.Optional(Type.Number()),
  error: Type.Optional(Type.Object({ error: Type.String(), message: Type.String() })),
});
export type EvalRunBrief = Static<typeof EvalRunBrief>;

export const EvalRunDetail = Type.Composite([
  EvalRunBrief,
  Type.Object({
    summary: Type.Unsafe<EvalSummary>(
      Type.Record(Type.String(), Type.Unknown(), {
        description: "Figures by target with intervals, as in the JSON report.",
      }),
    ),
    simulated: Type.Boolean({ description: "True if answers are the stand-in's: no model was called." }),
    elsewhere: Type.Boolean({
      description: "True if another process, such as the command line, is running it.",
    }),
  }),
]);
export type EvalRunDetail = Static<typeof EvalRunDetail>;

export const EvalRunList = Type.Object({
  runs: Type.Array(EvalRunBrief),
  next_cursor: Type.Optional(Type.String()),
});
export type EvalRunList = Static<typeof EvalRunList>;

/** A result in a list, with its texts cut. */
export const EvalResultRow = Type.Object({
  number: Type.Integer({ description: "Place of the result in the plan of its run, from 1." }),
  case: Type.String(),
  target: Type.String(),
  repeat: Type.Integer(),
  passed: Type.Boolean(),
  query: Type.String({ description: "Last question, cut at 200 characters." }),
  response: Type.String({ description: "Last answer, cut at 200 characters." }),
  reason: optionalText("First failed check and its reason, cut at 200 characters."),
  tokens: Type.Integer(),
  cost_usd: Type.Union([Type.Number(), Type.Null()]),
  latency_ms: Type.Integer(),
  trace_id: optionalText("Trace of the last turn."),
});
export type EvalResultRow = Static<typeof EvalResultRow>;

export const EvalResultList = Type.Object({
  results: Type.Array(EvalResultRow, { description: "In the order of the plan." }),
  total: Type.Integer({ description: "Number of results that match." }),
});
export type EvalResultList = Static<typeof EvalResultList>;

export const EvalResultDetail = Type.Object({
  number: Type.Integer(),
  result: Type.Unsafe<CaseResult>(
    Type.Record(Type.String(), Type.Unknown(), {
      description: "Turns, checks with reasons and tool calls, as in the JSON report.",
    }),
  ),
});
export type EvalResultDetail = Static<typeof EvalResultDetail>;

const Side = Type.Object({
  passed: Type.Integer(),
  of: Type.Integer(),
  response: Type.String(),
  failed: Type.Array(
    Type.Object({ check: Type.String(), kind: Type.String(), reason: Type.Optional(Type.String()) }),
  ),
  trace_id: Type.Optional(Type.String()),
});

export const changeKinds = ["regressed", "failing", "improved", "added", "removed", "passing"] as const;

export const ChangeKind = Type.Unsafe<(typeof changeKinds)[number]>(
  Type.Union(changeKinds.map((kind) => Type.Literal(kind))),
);

export const EvalComparisonPage = Type.Object({
  before: EvalRunBrief,
  after: EvalRunBrief,
  counts: Type.Record(Type.String(), Type.Integer(), { description: "Number of cases by kind of change." }),
  test: Type.Object({
    better: Type.Integer(),
    worse: Type.Integer(),
    p_value: Type.Number(),
    note: Type.String({ description: "Tells if the difference may be noise." }),
  }),
  changes: Type.Array(
    Type.Object({
      case: Type.String(),
      target: Type.String(),
      change: ChangeKind,
      before: Type.Optional(Side),
      after: Type.Optional(Side),
    }),
    { description: "Regressions first." },
  ),
  total: Type.Integer({ description: "Number of changes that match." }),
});
export type EvalComparisonPage = Static<typeof EvalComparisonPage>;

const GridCell = Type.Composite([
  Type.Object({
    target: Type.String(),
    number: Type.Integer({ description: "Result that is shown: the first that failed, or else the first." }),
  }),
  Side,
]);

/** Cases by targets. */
export const EvalGrid = Type.Object({
  targets: Type.Array(Type.String()),
  cases: Type.Array(
    Type.Object({
      case: Type.String(),
      query: Type.String({ description: "Last question, cut at 200 characters." }),
      expected: optionalText("A good answer, cut at 1,000 characters."),
      cells: Type.Array(GridCell, {
        description: "A cell for each target that has answered, with its answer cut at 1,000 characters.",
      }),
    }),
  ),
  total: Type.Integer({ description: "Number of cases that match." }),
});
export type EvalGrid = Static<typeof EvalGrid>;

/** Answers to one case, run by run. */
export const EvalCaseHistory = Type.Object({
  case: Type.String(),
  runs: Type.Array(
    Type.Object({
      run: EvalRunBrief,
      cells: Type.Array(GridCell, { description: "A cell for each target of the run." }),
    }),
    { description: "Runs that asked the case, newest first, of the newest 50." },
  ),
});
export type EvalCaseHistory = Static<typeof EvalCaseHistory>;

/** Event of a run's stream. */
export const EvalProgress = Type.Object({
  type: Type.Union([Type.Literal("progress"), Type.Literal("done")]),
  run: EvalRunBrief,
});
export type EvalProgress = Static<typeof EvalProgress>;
