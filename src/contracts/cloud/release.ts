import { type Static, Type } from "@sinclair/typebox";
import { orNull } from "../evals/hosted-evals.ts";

/** Evals that an agent may require. */
export const requirementsMax = 16;

const requirement = {
  eval: Type.String({ minLength: 1, maxLength: 63, description: "Name of an eval of the org." }),
  min_score: Type.Number({ minimum: 0, maximum: 1, description: "Least pass rate." }),
  no_regressions: Type.Boolean({
    description: "True: no case that the last deployed version passed may fail.",
  }),
};

/** The release gate of an agent: what a version must have passed before it is deployed. */
export const ReleaseRules = Type.Object(
  {
    requires: Type.Array(
      Type.Object(
        {
          ...requirement,
          min_score: Type.Optional(requirement.min_score),
          no_regressions: Type.Optional(requirement.no_regressions),
        },
        { additionalProperties: false },
      ),
      {
        maxItems: requirementsMax,
        description: "Without `min_score`, every case must pass. Empty: no gate.",
      },
    ),
  },
  { additionalProperties: false },
);
export type ReleaseRules = Static<typeof ReleaseRules>;

/** The rules, and what a deployment of the agent as it is would meet now. */
export const OrgReleaseGate = Type.Object({
  checksum: Type.String({ description: "SHA-256 of the manifest that the config compiles to." }),
  accepted: Type.Boolean({ description: "True if the gate lets the agent be deployed as it is." }),
  requires: Type.Array(
    Type.Object({
      ...requirement,
      reasons: Type.Array(Type.String(), { description: "Why it is not met; empty if it is." }),
      run: orNull(Type.String(), "Run of the eval that counts; null if there is none."),
    }),
  ),
});
export type OrgReleaseGate = Static<typeof OrgReleaseGate>;
