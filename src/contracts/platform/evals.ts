import { type Static, type TSchema, Type } from "@sinclair/typebox";
import type { CaseResult, EvalSummary } from "../evals/eval-run.ts";

/** Evals of one tenant. */
export const evalsMax = 100;
/** Cases of one eval, and runs of cases in one run of it. */
export const evalCasesMax = 500;
export const evalCaseRunsMax = 2000;
/** Runs of evals of one tenant that wait or work. */
export const openEvalRunsMax = 3;
/** Ended runs that are kept for one tenant. */
export const keptEvalRunsMax = 100;

const time = (description: string) => Type.String({ description: `${description}, ISO 8601 UTC.` });
const orNull = <Schema extends TSchema>(schema: Schema, description?: string) =>
  Type.Union([schema, Type.Null()], description === undefined ? {} : { description });

export const PlatformEval = Type.Object({
  name: Type.String(),
  agent: Type.String({ description: "Agent that is asked unless a run names another." }),
  cases: Type.Integer(),
  content: Type.String({
    description:
      "SHA-256 of cases, checks and stubs. The release gate accepts only runs of the same content.",
  }),
  author: Type.String({ description: "`user:<user id>` or `key:<key hash>`." }),
  updated_at: time("Last change"),
});
export type PlatformEval = Static<typeof PlatformEval>;

export const PlatformEvalList = Type.Object({
  evals: Type.Array(PlatformEval, { description: `Sorted by name; at most ${evalsMax}.` }),
});
export type PlatformEvalList = Static<typeof PlatformEvalList>;

export const PlatformEvalDetail = Type.Composite([
  PlatformEval,
  Type.Object({ manifest: Type.Unknown({ description: "Document of kind `Eval` as submitted." }) }),
]);
export type PlatformEvalDetail = Static<typeof PlatformEvalDetail>;

export const PlatformEvalOrder = Type.Object(
  {
    agent: Type.Optional(
      Type.String({ minLength: 1, maxLength: 63, description: "Agent to ask instead of the eval's." }),
    ),
    spec: Type.Optional(
      Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.String({ minLength: 1 })], {
        description:
          "Version to ask: an agent manifest, as an object or as YAML text. Nothing is published. Default: the agent's current version.",
      }),
    ),
    concurrency: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 8,
        description: "Cases at the same time. Default: the eval's, at most 4.",
      }),
    ),
    budget_credits_micros: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
        description: "No further case starts once this much is charged.",
      }),
    ),
  },
  { additionalProperties: false },
);
export type PlatformEvalOrder = Static<typeof PlatformEvalOrder>;

export type PlatformEvalRunStatus = "queued" | "running" | "complete" | "budget" | "cancelled" | "failed";

export const PlatformEvalRunStatus = Type.Unsafe<PlatformEvalRunStatus>(
  Type.Union(
    ["queued", "running", "complete", "budget", "cancelled", "failed"].map((name) => Type.Literal(name)),
    { description: "`budget`: it was used up before the last case; `failed`: see `error`." },
  ),
);

export const PlatformEvalRun = Type.Object({
  id: Type.String(),
  eval: Type.String(),
  content: Type.String(),
  agent: Type.String(),
  agent_version: orNull(Type.Integer(), "Number of the version; null for a spec that came with the run."),
  checksum: Type.String({ description: "SHA-256 of the spec that was asked, as in a version." }),
  status: PlatformEvalRunStatus,
  cases: Type.Integer(),
  repeat: Type.Integer(),
  planned: Type.Integer({ description: "Results that the run has when it is complete." }),
  finished: Type.Integer(),
  passed: Type.Integer(),
  pass_rate: orNull(Type.Number(), "Mean over cases of the share of passed repetitions; null until the end."),
  interval: Type.Optional(
    Type.Array(Type.Number(), {
      minItems: 2,
      maxItems: 2,
      description: "Wilson interval of the pass rate at 95 %.",
    }),
  ),
  credits_charged_micros: Type.Integer(),
  budget_credits_micros: orNull(Type.Integer()),
  simulated: Type.Boolean({
    description: "True if answers are a rehearsal's. The release gate doesn't accept them.",
  }),
  error: Type.Optional(Type.Object({ error: Type.String(), message: Type.String() })),
  author: Type.String(),
  created_at: time("Time of the order"),
  ended_at: orNull(Type.String(), "ISO 8601 UTC; null before the end."),
});
export type PlatformEvalRun = Static<typeof PlatformEvalRun>;

export const PlatformEvalRunDetail = Type.Composite([
  PlatformEvalRun,
  Type.Object({
    summary: orNull(
      Type.Unsafe<EvalSummary>(
        Type.Record(Type.String(), Type.Unknown(), {
          description: "Figures, as in the report of `argosy eval`.",
        }),
      ),
    ),
  }),
]);
export type PlatformEvalRunDetail = Static<typeof PlatformEvalRunDetail>;

export const PlatformEvalRunList = Type.Object({
  runs: Type.Array(PlatformEvalRun, { description: "Newest first." }),
  next_cursor: Type.Optional(Type.String()),
});
export type PlatformEvalRunList = Static<typeof PlatformEvalRunList>;

export const PlatformEvalResults = Type.Object({
  results: Type.Array(
    Type.Object({
      number: Type.Integer({ description: "Place in the run's plan, from 1." }),
      result: Type.Unsafe<CaseResult>(
        Type.Record(Type.String(), Type.Unknown(), {
          description:
            "Turns, checks with reasons and tool calls. Texts are cut at 4000 characters. `invocation_id` names the run of a turn.",
        }),
      ),
    }),
    { description: "In the order of the plan." },
  ),
  total: Type.Integer({ description: "Results that match." }),
});
export type PlatformEvalResults = Static<typeof PlatformEvalResults>;
