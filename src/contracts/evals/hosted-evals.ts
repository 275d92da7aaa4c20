import { type Static, type TSchema, Type } from "@sinclair/typebox";
import type { CaseResult, EvalSummary } from "./eval-run.ts";

/*
 * Evals that the platform and the cloud store for their tenants and orgs ("owners" below). Each service adds what its runs cost and which
 * version they asked.
 */

/** Evals of one owner. */
export const evalsMax = 100;
/** Cases of one eval, and runs of cases in one run of it. */
export const evalCasesMax = 500;
export const evalCaseRunsMax = 2000;
/** Runs of evals of one owner that wait or work. */
export const openEvalRunsMax = 3;
/** Ended runs that are kept for one owner. */
export const keptEvalRunsMax = 100;
/** Bytes of the results of these runs: the oldest go first. */
export const keptEvalBytesMax = 64 * 1024 * 1024;

const time = (description: string) => Type.String({ description: `${description}, ISO 8601 UTC.` });
export const orNull = <Schema extends TSchema>(schema: Schema, description?: string) =>
  Type.Union([schema, Type.Null()], description === undefined ? {} : { description });

export const HostedEval = Type.Object({
  name: Type.String(),
  agent: Type.String({ description: "Agent that is asked unless a run names another." }),
  cases: Type.Integer(),
  content: Type.String({
    description:
      "SHA-256 of cases, checks and stubs. The release gate accepts only runs of the same content.",
  }),
  author: Type.String({ description: "`user:` or `key:` with the id or the hash of the key." }),
  updated_at: time("Last change"),
  required_by: Type.Array(Type.String(), {
    description:
      "Agents whose release gate requires the eval, deleted ones included. Then only owners and admins change it.",
  }),
});
export type HostedEval = Static<typeof HostedEval>;

export const HostedEvalList = Type.Object({
  evals: Type.Array(HostedEval, { description: `Sorted by name; at most ${evalsMax}.` }),
});
export type HostedEvalList = Static<typeof HostedEvalList>;

export const HostedEvalDetail = Type.Composite([
  HostedEval,
  Type.Object({ manifest: Type.Unknown({ description: "Document of kind `Eval` as submitted." }) }),
]);
export type HostedEvalDetail = Static<typeof HostedEvalDetail>;

/** Part of an order that each service takes. */
export const hostedEvalOrder = {
  agent: Type.Optional(
    Type.String({ minLength: 1, maxLength: 63, description: "Agent to ask instead of the eval's." }),
  ),
  concurrency: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 8,
      description: "Cases that run in parallel. Default: the eval's, at most 4.",
    }),
  ),
};

export type HostedEvalRunStatus = "queued" | "running" | "complete" | "budget" | "cancelled" | "failed";

export const HostedEvalRunStatus = Type.Unsafe<HostedEvalRunStatus>(
  Type.Union(
    ["queued", "running", "complete", "budget", "cancelled", "failed"].map((name) => Type.Literal(name)),
    { description: "`budget`: it was used up before the last case; `failed`: see `error`." },
  ),
);

export const HostedEvalRun = Type.Object({
  id: Type.String(),
  eval: Type.String(),
  content: Type.String(),
  agent: Type.String(),
  checksum: Type.String({ description: "SHA-256 of the manifest that was asked." }),
  status: HostedEvalRunStatus,
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
  simulated: Type.Boolean({
    description: "True if answers are a rehearsal's. The release gate doesn't accept them.",
  }),
  error: Type.Optional(Type.Object({ error: Type.String(), message: Type.String() })),
  author: Type.String(),
  created_at: time("Time of the order"),
  ended_at: orNull(Type.String(), "ISO 8601 UTC; null before the end."),
});
export type HostedEvalRun = Static<typeof HostedEvalRun>;

/** What one run has more than its entry in a list. */
export const HostedEvalSummary = Type.Object({
  summary: orNull(
    Type.Unsafe<EvalSummary>(
      Type.Record(Type.String(), Type.Unknown(), {
        description: "Figures, as in the report of `argosy eval`.",
      }),
    ),
  ),
});

/** A page of runs. */
export const hostedEvalRunList = <Run extends TSchema>(run: Run) =>
  Type.Object({
    runs: Type.Array(run, { description: "Newest first." }),
    next_cursor: Type.Optional(Type.String()),
  });

export const HostedEvalResults = Type.Object({
  results: Type.Array(
    Type.Object({
      number: Type.Integer({ description: "Place in the run's plan, from 1." }),
      result: Type.Unsafe<CaseResult>(
        Type.Record(Type.String(), Type.Unknown(), {
          description:
            "Turns, checks with reasons and tool calls. Texts are cut at 4000 characters, and shorter where a result would have more than 16 KiB.",
        }),
      ),
    }),
    { description: "In the order of the plan." },
  ),
  total: Type.Integer({ description: "Results that match." }),
});
export type HostedEvalResults = Static<typeof HostedEvalResults>;
