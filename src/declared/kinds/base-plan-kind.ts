import type { WorkspaceKind } from "../workspace-kind.ts";

export const basePlanType = "platform.base_plan";

/** The base plan of the tenant. A workspace that no longer names one leaves the tenant's as it is. */
export const basePlanKind: WorkspaceKind = {
  type: basePlanType,
  async observe({ operator, tenantId }, named) {
    const { plan } = await operator.getTenant(tenantId);
    return named.map(({ name }) => ({
      type: basePlanType,
      name,
      id: tenantId,
      config: { plan_id: plan.id },
      masks: new Map(),
    }));
  },
  async create({ operator, tenantId }, { config }) {
    await operator.setTenantPlan(tenantId, String(config.plan_id));
  },
  async update({ operator, tenantId }, { config }) {
    await operator.setTenantPlan(tenantId, String(config.plan_id));
  },
};
