import { type Static, Type } from "@sinclair/typebox";
import {
  HostedEvalRun,
  HostedEvalSummary,
  hostedEvalOrder,
  hostedEvalRunList,
  orNull,
} from "../evals/hosted-evals.ts";

export const PlatformEvalOrder = Type.Object(
  {
    ...hostedEvalOrder,
    spec: Type.Optional(
      Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.String({ minLength: 1 })], {
        description:
          "Version to ask: an agent manifest, as an object or as YAML text. Nothing is published. Default: the agent's current version.",
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

export const PlatformEvalRun = Type.Composite([
  HostedEvalRun,
  Type.Object({
    agent_version: orNull(Type.Integer(), "Number of the version; null for a spec that came with the run."),
    credits_charged_micros: Type.Integer(),
    budget_credits_micros: orNull(Type.Integer()),
  }),
]);
export type PlatformEvalRun = Static<typeof PlatformEvalRun>;

export const PlatformEvalRunDetail = Type.Composite([PlatformEvalRun, HostedEvalSummary]);
export type PlatformEvalRunDetail = Static<typeof PlatformEvalRunDetail>;

export const PlatformEvalRunList = hostedEvalRunList(PlatformEvalRun);
export type PlatformEvalRunList = Static<typeof PlatformEvalRunList>;
