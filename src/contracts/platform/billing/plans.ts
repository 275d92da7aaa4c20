import { type Static, Type } from "@sinclair/typebox";
import { ShownName } from "../shown-name.ts";
import { Micros } from "./micros.ts";

/** Units of a vertical included in a plan, by `<argo>.<unit>`, and features that callers read. */
export const PlanSpec = Type.Object(
  {
    unidades: Type.Record(
      Type.String({ pattern: "^[a-z0-9_-]{1,63}\\.[a-z0-9_-]{1,63}$" }),
      Type.Object(
        {
          incluidas: Type.Integer({
            minimum: 0,
            maximum: 1_000_000_000,
            description: "Units of a month that cost nothing.",
          }),
          excedente_micros: Micros("Of each unit over those."),
        },
        { additionalProperties: false },
      ),
      {
        additionalProperties: false,
        maxProperties: 100,
        description: "Of the vertical's units; empty in a base plan.",
      },
    ),
    features: Type.Record(Type.String({ maxLength: 255 }), Type.Unknown(), {
      description:
        "The platform reads `documents_max` (documents of a tenant, 1000) and `document_bytes_max` (bytes of one, 8388608) of a base plan: integers, null for no limit, 0 for none at all. Callers may read others.",
    }),
  },
  { additionalProperties: false },
);
export type PlanSpec = Static<typeof PlanSpec>;

const limit = (description: string) =>
  Type.Union([Type.Integer({ minimum: 0, maximum: 1_000_000_000 }), Type.Null()], {
    description: `${description} Null: no limit; 0: blocked.`,
  });

/** A plan never changes; a new one replaces it. */
export const PlanInput = Type.Object(
  {
    id: Type.String({ pattern: "^[a-z0-9][a-z0-9_-]{0,62}$", description: "Chosen by the operator." }),
    name: ShownName(255),
    argo_code: Type.Optional(
      Type.Union([Type.String({ pattern: "^[a-z0-9_-]{1,63}$" }), Type.Null()], {
        description: "The vertical it is for; null: a tenant's base plan.",
      }),
    ),
    max_concurrency: limit("Runs at once."),
    max_rpm: limit("Runs in a UTC minute."),
    credit_cap_period_micros: Type.Union([Micros("Credits of a month."), Type.Null()]),
    max_tokens_per_call: limit("Tokens of one answer of a model."),
    max_run_tokens: limit("Tokens of a run."),
    max_iterations: limit("Model calls of a loop."),
    max_active_agents: limit("Live agents."),
    min_fee_micros: Micros("The fee of a whole month."),
    activation_price_micros: Micros("Once, in the month a subscription begins."),
    included_credits_micros: Micros("Credits of a month that cost nothing."),
    extra_credit_price_micros: Micros("Of each whole credit over those."),
    spec: PlanSpec,
  },
  { additionalProperties: false },
);
export type PlanInput = Static<typeof PlanInput>;

export const Plan = Type.Composite([
  Type.Omit(PlanInput, ["argo_code"]),
  Type.Object({ argo_code: Type.Union([Type.String(), Type.Null()]), created_at: Type.String() }),
]);
export type Plan = Static<typeof Plan>;

export const PlanList = Type.Object({ plans: Type.Array(Plan) });
export type PlanList = Static<typeof PlanList>;

export const TenantPlanInput = Type.Object(
  { plan_id: Type.String({ maxLength: 63 }) },
  { additionalProperties: false },
);
export type TenantPlanInput = Static<typeof TenantPlanInput>;

export const TenantPlan = Type.Object({
  tenant_id: Type.String(),
  plan_id: Type.String(),
  since: Type.String({ description: "ISO 8601 UTC." }),
});
export type TenantPlan = Static<typeof TenantPlan>;
