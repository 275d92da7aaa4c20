import { type Static, Type } from "@sinclair/typebox";
import { EvalRunBrief } from "./eval-runs.ts";

/** Name of an eval, in a path or a body. */
export const evalName = Type.String({
  pattern: "^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$",
  fault: "must be 1 to 63 lower-case letters, digits and hyphens, with a letter or digit at both ends",
  description: "Name of the eval.",
});

export const EvalFault = Type.Object({
  path: Type.String({ description: "Part of the file, such as `spec.cases[2].query`." }),
  message: Type.String(),
  line: Type.Optional(Type.Integer({ description: "Line, from 1." })),
  column: Type.Optional(Type.Integer({ description: "Column, from 1." })),
});
export type EvalFault = Static<typeof EvalFault>;

const summary = {
  name: Type.String({ description: "Name of the eval; of a file that can't be read, the name of the file." }),
  file: Type.String({ description: "File, relative to the workspace." }),
  agent: Type.Optional(Type.String({ description: "Agent that is asked; absent if the file is broken." })),
  description: Type.Optional(Type.String()),
  cases: Type.Integer({ description: "Number of cases." }),
  tags: Type.Array(Type.String(), { description: "Tags of its cases, sorted." }),
  faults: Type.Array(EvalFault, { description: "Faults of the file. An eval with faults can't run." }),
};

export const EvalOverview = Type.Object({
  ...summary,
  runs: Type.Array(EvalRunBrief, { description: "Up to 20 runs, newest first." }),
});
export type EvalOverview = Static<typeof EvalOverview>;

export const EvalList = Type.Object({
  evals: Type.Array(EvalOverview),
  agents: Type.Array(Type.String(), { description: "Agents of this daemon that can be asked." }),
});
export type EvalList = Static<typeof EvalList>;

export const EvalDetail = Type.Object({
  ...summary,
  etag: Type.String({
    description: "Changes with the content of the file. Send it as `If-Match` to change a case.",
  }),
  cases_file: Type.Optional(
    Type.String({ description: "File that has the cases; absent: the eval's own file." }),
  ),
  editable: Type.Boolean({ description: "False if the cases are in a CSV file, or the file has faults." }),
  spec: Type.Record(Type.String(), Type.Unknown(), {
    description: "`spec` of the file with its defaults, without the cases. Empty if the file has faults.",
  }),
});
export type EvalDetail = Static<typeof EvalDetail>;

/** A case as a file has it. The manifest's schema checks it. */
const CaseObject = Type.Record(Type.String(), Type.Unknown(), {
  description: "A case as in the file: `query` or `turns`, `expected`, `checks` and others.",
});

export const EvalCaseEntry = Type.Object({
  id: Type.String({ description: "Id of the case; `case-` and its number if the file gives none." }),
  number: Type.Integer({ description: "Place in the file, from 1." }),
  case: CaseObject,
});
export type EvalCaseEntry = Static<typeof EvalCaseEntry>;

export const EvalCaseList = Type.Object({
  etag: Type.String(),
  cases: Type.Array(EvalCaseEntry),
  total: Type.Integer({ description: "Number of cases that match." }),
});
export type EvalCaseList = Static<typeof EvalCaseList>;

export const NewEval = Type.Object(
  {
    name: evalName,
    agent: Type.String({
      pattern: "^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$",
      fault: "must be the name of an agent",
      description: "Agent that is asked.",
    }),
    description: Type.Optional(Type.String({ maxLength: 4096 })),
    case: CaseObject,
  },
  { additionalProperties: false },
);
export type NewEval = Static<typeof NewEval>;

export const NewCases = Type.Union([
  Type.Object({ case: CaseObject }, { additionalProperties: false }),
  Type.Object(
    {
      format: Type.Union([Type.Literal("csv"), Type.Literal("jsonl")]),
      text: Type.String({ description: "Content of a CSV or JSONL file." }),
    },
    { additionalProperties: false },
  ),
]);
export type NewCases = Static<typeof NewCases>;

export const CasesChanged = Type.Object({
  etag: Type.String({ description: "New state of the file." }),
  file: Type.String(),
  ids: Type.Array(Type.String(), { description: "Ids of the cases that were added or changed." }),
  cases: Type.Integer({ description: "Number of cases afterwards." }),
});
export type CasesChanged = Static<typeof CasesChanged>;

export const TraceCaseDraft = Type.Object({
  agent: Type.String({ description: "Agent of the run." }),
  id: Type.String({ description: "Proposed id." }),
  query: Type.String(),
  expected: Type.Optional(
    Type.String({ description: "Answer of the run; absent if somebody judged it bad." }),
  ),
  context: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  stubs: Type.Array(Type.Record(Type.String(), Type.Unknown()), {
    description: "Results of the run's tools.",
  }),
});
export type TraceCaseDraft = Static<typeof TraceCaseDraft>;

export const NewTraceCase = Type.Object(
  {
    trace_id: Type.String({ minLength: 1, maxLength: 64 }),
    eval: evalName,
    id: Type.Optional(Type.String({ maxLength: 100, description: "Id of the case." })),
    expected: Type.Optional(
      Type.String({
        maxLength: 65_536,
        description:
          "A good answer, in place of the run's. Default: the run's, unless somebody judged it bad.",
      }),
    ),
    tags: Type.Optional(Type.Array(Type.String({ maxLength: 63 }), { maxItems: 16 })),
    checks: Type.Optional(
      Type.Array(Type.Record(Type.String(), Type.Unknown()), {
        maxItems: 64,
        description: "Checks of the answer. Needed unless the eval has some for every case.",
      }),
    ),
  },
  { additionalProperties: false },
);
export type NewTraceCase = Static<typeof NewTraceCase>;

export const TraceCaseAdded = Type.Object({
  eval: Type.String(),
  file: Type.String(),
  case: Type.String({ description: "Id of the new case." }),
  agent: Type.String(),
  created: Type.Boolean({ description: "True if the eval is new." }),
  stubs: Type.Integer(),
});
export type TraceCaseAdded = Static<typeof TraceCaseAdded>;
