import { type Static, Type } from "@sinclair/typebox";
import { ShownName } from "../shown-name.ts";
import { Micros } from "./fields.ts";

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
            description: "Units included per month.",
          }),
          excedente_micros: Micros("Price of each additional unit, in micros of USD."),
        },
        { additionalProperties: false },
      ),
      {
        additionalProperties: false,
        maxProperties: 100,
        description: "Included units and prices by unit of the vertical. Empty in a base plan.",
      },
    ),
    features: Type.Record(Type.String({ maxLength: 255 }), Type.Unknown(), {
      description:
        "Features of the plan. From a base plan, the platform reads `documents_max` (documents per tenant, default: 1000) and `document_bytes_max` (bytes per document, default: 8388608). Both are integers. Null: no limit; 0: blocked. Callers may define and read other features.",
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
    id: Type.String({
      pattern: "^[a-z0-9][a-z0-9_-]{0,62}$",
      description: "ID of the plan, chosen by the operator.",
    }),
    name: ShownName(255),
    argo_code: Type.Optional(
      Type.Union([Type.String({ pattern: "^[a-z0-9_-]{1,63}$" }), Type.Null()], {
        description: "Vertical of the plan. Null: base plan of a tenant.",
      }),
    ),
    max_concurrency: limit("Maximum number of concurrent runs."),
    max_rpm: limit("Maximum number of runs per UTC minute."),
    credit_cap_period_micros: Type.Union([
      Micros("Credit cap per month, in micros of a credit. Null: no cap."),
      Type.Null(),
    ]),
    max_tokens_per_call: limit("Maximum output tokens per model call."),
    max_run_tokens: limit("Maximum tokens per run."),
    max_iterations: limit("Maximum number of model calls per loop."),
    max_active_agents: limit("Maximum number of active agents."),
    min_fee_micros: Micros("Fee for a whole month, in micros of USD."),
    activation_price_micros: Micros(
      "One-time price in micros of USD, charged in the month the subscription starts.",
    ),
    included_credits_micros: Micros("Credits included per month, in micros of a credit."),
    extra_credit_price_micros: Micros("Price of each additional whole credit, in micros of USD."),
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
  since: Type.String({ description: "Start of the plan, ISO 8601 UTC." }),
});
export type TenantPlan = Static<typeof TenantPlan>;
