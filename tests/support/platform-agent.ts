import { newId } from "../../src/kit/id.ts";
import { checksumOf } from "../../src/kit/json/canonical-json.ts";
import { seedDefaultPlan } from "../../src/services/platform/plans/plan-commands.ts";
import type { PlanRow } from "../../src/services/platform/plans/schema.ts";
import { startPlatform, type TestPlatform, type TestTenant } from "./platform.ts";
import type { TestEngine } from "./storage-engines.ts";

/** A platform with one tenant that has the agent `support`, inserted directly. */
export type PlatformWithAgent = TestPlatform & { owner: TestTenant };

export interface StagedLimits {
  /** Changes to the tenant's base plan, if it is not the default one. */
  plan?: Partial<PlanRow>;
  /** Micros per 1000 tokens of `lab/test-model`. */
  rate?: number;
  change?: Parameters<typeof startPlatform>[1];
}

export async function platformWithAgent(
  engine: TestEngine,
  { plan, rate, change }: StagedLimits = {},
): Promise<PlatformWithAgent> {
  const platform = await startPlatform(engine, change);
  await seedDefaultPlan(platform.deps.storage, platform.clock.now());
  const owner = await platform.tenant();
  await addPlatformAgent(platform, owner, "support");
  if (plan !== undefined) await givePlan(platform, owner, plan);
  if (rate !== undefined) await addTariff(platform, rate);
  return { ...platform, owner };
}

/** Inserts an agent directly: its creation over the API has tests of its own. */
export async function addPlatformAgent(
  { deps: { storage, clock } }: TestPlatform,
  { id: tenantId }: TestTenant,
  name: string,
  spec: Record<string, unknown> = { metadata: { name } },
): Promise<string> {
  const { agents, agentVersions } = storage.tables;
  const createdAt = clock.now();
  const agentId = newId();
  await storage.transact(async (tx) => {
    await tx.insert(agents).values({
      tenantId,
      id: agentId,
      name,
      subscriptionId: null,
      currentVersion: 1,
      createdAt,
      updatedAt: createdAt,
      deletedAt: null,
    });
    await tx.insert(agentVersions).values({
      tenantId,
      agentId,
      number: 1,
      spec,
      checksum: checksumOf(spec),
      author: "user:u",
      createdAt,
    });
  });
  return agentId;
}

/** Gives a tenant a base plan with these changes to the default one. */
export async function givePlan(
  { deps: { storage, clock } }: Pick<TestPlatform, "deps">,
  { id: tenantId }: Pick<TestTenant, "id">,
  change: Partial<PlanRow>,
): Promise<void> {
  const { plans, tenantPlans } = storage.tables;
  await storage.transact(async (tx) => {
    const [free] = await tx.select().from(plans);
    if (free === undefined) throw new Error("There is no default plan.");
    await tx.insert(plans).values({ ...free, id: "staged", ...change });
    await tx.insert(tenantPlans).values({ tenantId, since: clock.now(), planId: "staged" });
  });
}

/** Files a tariff of `lab/test-model`, in micros per 1000 tokens. */
export async function addTariff(
  { deps: { storage, clock } }: Pick<TestPlatform, "deps">,
  rate: number,
): Promise<void> {
  const tariff = {
    id: newId(),
    provider: "lab",
    model: "test-model",
    effectiveFrom: new Date(0),
    creditsPer1kIn: rate,
    creditsPer1kOut: rate,
    creditsPer1kCached: null,
    providerCostPer1kIn: 100,
    providerCostPer1kOut: 100,
    infraCostPerSecond: null,
    own: false,
    createdAt: clock.now(),
  };
  await storage.transact(async (tx) => {
    await tx.insert(storage.tables.tariffs).values(tariff);
  });
}

/** Returns all recorded runs, the oldest first. */
export async function invocationsOf({ deps: { storage } }: TestPlatform) {
  const { invocations } = storage.tables;
  return storage.read.select().from(invocations).orderBy(invocations.id);
}

/** Returns the charged and held amounts of the tenants, in all months and scopes. */
export async function countersOf({ deps: { storage } }: TestPlatform) {
  return storage.read.select().from(storage.tables.creditCounters);
}
