import { newId } from "../../../../src/kit/id.ts";
import { defaultPlanId } from "../../../../src/services/platform/plans/default-plan.ts";
import { seedDefaultPlan } from "../../../../src/services/platform/plans/plan-commands.ts";
import type { CallOptions } from "../../../support/daemon.ts";
import { startPlatform, type TestPlatform, type TestTenant } from "../../../support/platform.ts";
import type { TestEngine } from "../../../support/storage-engines.ts";

export type PlatformWithOwner = TestPlatform & { owner: TestTenant };

/** A platform with its default plan and a tenant that has no agents. */
export async function platformWithOwner(
  engine: TestEngine,
  change?: Parameters<typeof startPlatform>[1],
): Promise<PlatformWithOwner> {
  const platform = await startPlatform(engine, change);
  await seedDefaultPlan(platform.deps.storage, platform.clock.now());
  return { ...platform, owner: await platform.tenant() };
}

/** A manifest as a client sends it. */
export function specOf(name: string, spec: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    apiVersion: "platform/v1",
    kind: "Agent",
    metadata: { name },
    spec: { model: { primary: { provider: "lab", model: "test-model" } }, ...spec },
  };
}

/** A request of the owner's program. */
export const asOwner = (
  { call, owner }: PlatformWithOwner,
  method: string,
  path: string,
  { headers = {}, ...options }: CallOptions = {},
) => call(method, path, { ...options, headers: { ...owner.asProgram, ...headers } });

export const create = (platform: PlatformWithOwner, body: unknown, query = "") =>
  asOwner(platform, "POST", `/api/v1/agents${query}`, { body });

export const yaml = { "content-type": "application/yaml" };

/** Inserts a subscription directly, with the default plan. */
export async function addSubscription(
  { deps: { storage, clock } }: TestPlatform,
  { id: tenantId }: TestTenant,
  { argoCode = "erp", cancelledAt = null }: { argoCode?: string; cancelledAt?: Date | null } = {},
): Promise<string> {
  const id = newId();
  const row = {
    tenantId,
    id,
    argoCode,
    desde: "2026-01-01",
    lastDay: null,
    createdAt: clock.now(),
    cancelledAt,
  };
  const given = { tenantId, subscriptionId: id, since: "2026-01", planId: defaultPlanId };
  await storage.transact(async (tx) => {
    await tx.insert(storage.tables.subscriptions).values(row);
    await tx.insert(storage.tables.subscriptionPlans).values(given);
  });
  return id;
}
