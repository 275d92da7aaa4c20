import { type Static, Type } from "@sinclair/typebox";
import {
  HostedEvalRun,
  HostedEvalSummary,
  hostedEvalOrder,
  hostedEvalRunList,
  orNull,
} from "../evals/hosted-evals.ts";
import { OrgAgentChange } from "./agents.ts";

export const CloudEvalOrder = Type.Object(
  {
    ...hostedEvalOrder,
    change: Type.Optional(
      Type.Composite([OrgAgentChange], {
        additionalProperties: false,
        description:
          "Asks the agent as this change would make it, in the form of `PUT …/agents/{name}`. Nothing is stored. Default: the agent as it is.",
      }),
    ),
    draft: Type.Optional(
      Type.Boolean({ description: "True asks the agent's draft, if it has one, before it is published." }),
    ),
    budget_tokens: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
        description: "No further case starts once so many tokens are used.",
      }),
    ),
  },
  { additionalProperties: false },
);
export type CloudEvalOrder = Static<typeof CloudEvalOrder>;

export const CloudEvalRun = Type.Composite([
  HostedEvalRun,
  Type.Object({
    tokens_used: Type.Integer(),
    budget_tokens: orNull(Type.Integer()),
  }),
]);
export type CloudEvalRun = Static<typeof CloudEvalRun>;

export const CloudEvalRunDetail = Type.Composite([CloudEvalRun, HostedEvalSummary]);
export type CloudEvalRunDetail = Static<typeof CloudEvalRunDetail>;

export const CloudEvalRunList = hostedEvalRunList(CloudEvalRun);
export type CloudEvalRunList = Static<typeof CloudEvalRunList>;
