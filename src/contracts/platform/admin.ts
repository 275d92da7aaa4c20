import { type Static, Type } from "@sinclair/typebox";
import { Month } from "./billing/fields.ts";
import { Plan } from "./billing/plans.ts";
import { Subscription } from "./billing/subscriptions.ts";
import { MemberList } from "./members.ts";
import { Consumption, InvocationSummary, ListedInvocation, listedModelsMax } from "./observability.ts";
import { ModelUsage } from "./runs/runs.ts";
import { StorageUse } from "./stored.ts";

const orNull = <Schema extends Parameters<typeof Type.Union>[0][number]>(schema: Schema) =>
  Type.Union([schema, Type.Null()]);
const nextCursor = Type.Optional(
  Type.String({ description: "Value of `cursor` for the next page. Absent on the last page." }),
);
const state = Type.Union([Type.Literal("active"), Type.Literal("deleted")]);

const ownCosts = {
  infra_cost_micros: Type.Integer({ description: "Cost of the operator's own machines, in micros of USD." }),
  overrun_micros: Type.Integer({
    description: "Uncharged usage of runs above their credit hold, in micros of a credit.",
  }),
};
const costs = {
  provider_cost_micros: Type.Integer({ description: "Sum of the known provider costs, in micros of USD." }),
  unknown_cost_invocations: Type.Integer({
    description: "Runs whose provider cost is at least partly unknown, because no price is known.",
  }),
  ...ownCosts,
};
const runCosts = {
  provider_cost_micros: orNull(
    Type.Integer({ description: "Provider cost, in micros of USD. Null if no price is known." }),
  ),
  ...ownCosts,
};
const earnings = {
  revenue_micros: Type.Integer({
    description:
      "Revenue for the period, in micros of USD: charges of closed billing periods plus provisional charges of open ones through today.",
  }),
  margin_micros: orNull(
    Type.Integer({
      description:
        "Revenue minus provider and infrastructure costs, in micros of USD. Negative if costs are higher. Null if a cost is unknown.",
    }),
  ),
};
const noMargin = {
  margin_micros: Type.Null({
    description: "Always null, because revenue is calculated per tenant and month.",
  }),
};
const sums = {
  invocations: Type.Integer(),
  tokens_in: Type.Integer(),
  tokens_out: Type.Integer(),
  credits_charged_micros: Type.Integer(),
  ...costs,
};

/** Usage, charges and costs of runs, and the amounts billed. */
export const CostedConsumption = Type.Composite([Consumption, Type.Object({ ...costs, ...earnings })]);
export type CostedConsumption = Static<typeof CostedConsumption>;

export const CostedSums = Type.Object({ ...sums, ...earnings });
export type CostedSums = Static<typeof CostedSums>;

/** A model that runs used while it had no tariff; its part of the runs was charged zero. */
export const UnpricedModel = Type.Object({
  provider: Type.String(),
  model: Type.String(),
  invocations: Type.Integer(),
  tokens_in: Type.Integer(),
  tokens_out: Type.Integer(),
});
export type UnpricedModel = Static<typeof UnpricedModel>;

export const AdminUsage = Type.Object({
  period: Month,
  month: CostedConsumption,
  tenants: Type.Array(
    Type.Object({ tenant_id: Type.String(), display_name: Type.String(), status: state, month: CostedSums }),
    { description: "Tenants with runs or charges in the period, sorted by credits in descending order." },
  ),
  unpriced_models: Type.Array(UnpricedModel, {
    description: `The ${listedModelsMax} models with the most tokens, in descending order.`,
  }),
});
export type AdminUsage = Static<typeof AdminUsage>;

/** Credits of a tenant in a period, under the cap of its current plan. */
export const TenantCredits = Type.Object({
  charged_micros: Type.Integer(),
  held_micros: Type.Integer(),
  cap_micros: orNull(Type.Integer({ description: "Cap of the plan, besides grants." })),
  granted_micros: Type.Integer({ description: "Part of the charged credits that grants paid." }),
  grants_left_micros: Type.Integer({
    description: "Unexpired credits of grants that are not used yet; 0 for a past period.",
  }),
  uncharged_cost_micros: Type.Integer({
    description:
      "Cost of runs that are awaiting approval or that ended uncharged for a reason on the tenant's side: the provider cost or, if unknown, the tariff price.",
  }),
  uncharged_limit_micros: orNull(
    Type.Integer({
      description:
        "Limit of the uncharged cost: 5% of the cap. New runs fail with 429 `cancel_limit` if the cost is above both this limit and the credit hold of the requested run. Null without a cap.",
    }),
  ),
  percent: orNull(
    Type.Integer({
      description:
        "Charged share of the credit cap and grants, in percent, rounded down. Null without a cap, or if both are 0.",
    }),
  ),
});
export type TenantCredits = Static<typeof TenantCredits>;

const tenantFields = {
  id: Type.String(),
  cr_name: Type.String(),
  display_name: Type.String(),
  status: state,
  owner: Type.Object({ id: Type.String(), email: Type.String() }),
  created_at: Type.String(),
  deleted_at: orNull(Type.String()),
  credits: TenantCredits,
};

export const AdminTenantList = Type.Object({
  period: Month,
  tenants: Type.Array(
    Type.Object({
      ...tenantFields,
      plan_id: Type.String(),
      active_agents: Type.Integer(),
      month: CostedSums,
    }),
  ),
  next_cursor: nextCursor,
});
export type AdminTenantList = Static<typeof AdminTenantList>;

/** A tenant in a picker. */
export const TenantName = Type.Object({
  id: Type.String(),
  display_name: Type.String(),
  cr_name: Type.String(),
  status: state,
});
export type TenantName = Static<typeof TenantName>;

export const TenantNameList = Type.Object({ tenants: Type.Array(TenantName) });
export type TenantNameList = Static<typeof TenantNameList>;

/** All data of a tenant that an operator may see. */
export const AdminTenant = Type.Object({
  ...tenantFields,
  ...MemberList.properties,
  plan: Plan,
  active_agents: Type.Integer(),
  running: Type.Integer({ description: "Number of runs in progress." }),
  period: Month,
  month: CostedConsumption,
  all_time: CostedConsumption,
  subscriptions: Type.Array(Subscription),
  storage: StorageUse,
});
export type AdminTenant = Static<typeof AdminTenant>;

/** Results of an agent's runs. */
export const AgentHealth = Type.Object({
  agent_id: Type.String(),
  tenant_id: Type.String(),
  tenant_name: Type.String(),
  name: Type.String(),
  status: state,
  current_version: Type.Integer(),
  subscription_id: orNull(Type.String()),
  ok: Type.Integer(),
  errors: Type.Integer({ description: "Number of runs with status `error`, `timeout` or `interrupted`." }),
  error_rate: orNull(
    Type.Number({ description: "Error rate, `errors / (errors + ok)`, from 0 to 1. Null if both are 0." }),
  ),
  by_status: Type.Record(Type.String(), Type.Integer()),
  last_invocation_at: orNull(Type.String({ description: "Start time of the latest run in the period." })),
  ...sums,
  ...noMargin,
});
export type AgentHealth = Static<typeof AgentHealth>;

export const AdminAgentList = Type.Object({
  period: Month,
  agents: Type.Array(AgentHealth),
  next_cursor: nextCursor,
});
export type AdminAgentList = Static<typeof AdminAgentList>;

const forOperators = Type.Object({
  tenant_id: Type.String(),
  tenant_name: Type.String(),
  agent_id: Type.String(),
  agent_name: Type.String(),
  subscription_id: orNull(Type.String()),
  plan_id: orNull(Type.String({ description: "Plan that the run was charged under." })),
  period: Month,
  held_micros: Type.Integer(),
  held_tokens: Type.Integer(),
  usage_estimated: Type.Boolean(),
  ...runCosts,
  ...noMargin,
});

/** A run in the form for operators. */
export const AdminInvocation = Type.Composite([InvocationSummary, forOperators]);
export type AdminInvocation = Static<typeof AdminInvocation>;

/** A run in a list for operators. */
export const ListedAdminInvocation = Type.Composite([ListedInvocation, forOperators]);
export type ListedAdminInvocation = Static<typeof ListedAdminInvocation>;

export const AdminInvocationList = Type.Object({
  invocations: Type.Array(ListedAdminInvocation),
  next_cursor: nextCursor,
});
export type AdminInvocationList = Static<typeof AdminInvocationList>;

/** A model's part of a run, priced with the tariff in force when the run was admitted. */
export const PricedModelUsage = Type.Composite([
  ModelUsage,
  Type.Object({
    priced: Type.Boolean({ description: "True if the model had a tariff when the run was admitted." }),
    credits_micros: Type.Integer({
      description: "Price in micros of a credit. For an uncharged run, the price it would have had.",
    }),
    provider_cost_micros: runCosts.provider_cost_micros,
  }),
]);
export type PricedModelUsage = Static<typeof PricedModelUsage>;

export const AdminInvocationDetail = Type.Composite([
  AdminInvocation,
  Type.Object({
    usage: Type.Object({
      tokens_in: Type.Integer(),
      tokens_out: Type.Integer(),
      by_model: Type.Array(PricedModelUsage),
    }),
    unpriced_models: Type.Array(Type.Object({ provider: Type.String(), model: Type.String() })),
    trace_id: orNull(Type.String()),
    owner: orNull(Type.String({ description: "Process that executes the run." })),
    held_until: orNull(
      Type.String({ description: "Lease expiry. After this time, the run counts as interrupted." }),
    ),
  }),
]);
export type AdminInvocationDetail = Static<typeof AdminInvocationDetail>;

export const AuditRecord = Type.Object({
  id: Type.String(),
  at: Type.String(),
  actor: Type.String({
    description: "Author of the action: `user:<user id>`, `token`, `cli` or `system`.",
  }),
  actor_name: orNull(Type.String({ description: "E-mail address of an actor who is a user." })),
  action: Type.String(),
  tenant_id: orNull(Type.String()),
  tenant_name: orNull(Type.String()),
  subject: orNull(Type.String({ description: "ID of the changed object." })),
  subject_name: orNull(
    Type.String({
      description:
        "Name of the subject: of an agent, a tenant or an API key its own, of a subscription its vertical, of a tariff its model, of a period its month, of a user or an invitation the e-mail address. Null if it has none, or was deleted.",
    }),
  ),
  detail: Type.Record(Type.String(), Type.Unknown()),
  request_id: orNull(Type.String()),
});
export type AuditRecord = Static<typeof AuditRecord>;

export const AuditList = Type.Object({ entries: Type.Array(AuditRecord), next_cursor: nextCursor });
export type AuditList = Static<typeof AuditList>;
