import type { Plan, PlanInput } from "../../contracts/platform/billing/plans.ts";
import type { WorkspaceKind } from "../workspace-kind.ts";
import { given } from "../workspace-kind.ts";

export const planType = "platform.plan";

/** Plans of the platform, which are never changed. */
export const planKind: WorkspaceKind = {
  type: planType,
  async observe({ operator }, named) {
    const { plans } = await operator.listPlans();
    const names = new Set(named.map(({ name }) => name));
    return plans
      .filter(({ id }) => names.has(id))
      .map((plan) => ({
        type: planType,
        name: plan.id,
        id: plan.id,
        config: configOf(plan),
        masks: new Map(),
      }));
  },
  async create({ operator }, { name, config }) {
    await operator.createPlan(inputOf(name, config));
  },
  conflict: ({ name }) => ({
    message: `The plan ${name} exists with other values, and plans can't be changed.`,
    hint: `Declare a plan with another id, such as ${nextId(name)}, and assign that one.`,
  }),
  async update() {},
};

function configOf({ id: _id, created_at: _created, ...values }: Plan): Record<string, unknown> {
  return given(values);
}

/** Limits that a config leaves out are null: none. */
function inputOf(id: string, config: Readonly<Record<string, unknown>>): PlanInput {
  const none = {
    argo_code: null,
    max_concurrency: null,
    max_rpm: null,
    credit_cap_period_micros: null,
    max_tokens_per_call: null,
    max_run_tokens: null,
    max_iterations: null,
    max_active_agents: null,
  };
  return { ...none, ...config, id } as PlanInput;
}

/** `plan_pro` → `plan_pro-2`, `plan_pro-2` → `plan_pro-3`. */
function nextId(id: string): string {
  const [, base = id, number] = /^(.*)-(\d{1,4})$/.exec(id) ?? [];
  return `${base}-${number === undefined ? 2 : Number(number) + 1}`;
}
