import { newId } from "../../src/kit/id.ts";
import type { InvocationRow } from "../../src/services/platform/runs/schema.ts";
import { startPlatform, type TestPlatform, type TestTenant } from "./platform.ts";
import type { TestEngine } from "./storage-engines.ts";

/** A platform with a tenant. */
export async function startWithTenant(
  engine: TestEngine,
  change?: Parameters<typeof startPlatform>[1],
): Promise<TestPlatform & { owner: TestTenant }> {
  const platform = await startPlatform(engine, change);
  return { ...platform, owner: await platform.tenant() };
}

/** Inserts an agent with one version; returns its id. */
export async function addAgent(
  { deps }: TestPlatform,
  { id: tenantId }: { id: string },
  name: string,
  { deletedAt = null }: { deletedAt?: Date | null } = {},
): Promise<string> {
  const { agents, agentVersions } = deps.storage.tables;
  const createdAt = deps.clock.now();
  const id = newId();
  const model = { primary: { provider: "lab", model: "test-model" } };
  const spec = { apiVersion: "platform/v1", kind: "Agent", metadata: { name }, spec: { model } };
  await deps.storage.transact(async (tx) => {
    await tx.insert(agents).values({
      tenantId,
      id,
      name,
      subscriptionId: null,
      currentVersion: 1,
      createdAt,
      updatedAt: createdAt,
      deletedAt,
    });
    const version = {
      tenantId,
      agentId: id,
      number: 1,
      spec,
      checksum: `c-${name}`,
      author: "user:u",
      createdAt,
    };
    await tx.insert(agentVersions).values(version);
  });
  return id;
}

/** Inserts a run; by default one that answered. */
export async function addInvocation(
  { deps }: TestPlatform,
  change: Pick<InvocationRow, "tenantId" | "agentId"> & Partial<InvocationRow>,
): Promise<InvocationRow> {
  const admittedAt = change.admittedAt ?? deps.clock.now();
  const [tokensIn, tokensOut] = [change.tokensIn ?? 100, change.tokensOut ?? 20];
  const usage = {
    tokens_in: tokensIn,
    tokens_out: tokensOut,
    tokens: tokensIn + tokensOut,
    tokens_cached: 5,
  };
  const row: InvocationRow = {
    id: newId(),
    agentName: "support",
    agentVersion: 1,
    subscriptionId: null,
    status: "ok",
    sessionId: "s",
    errorCode: null,
    message: null,
    count: 1,
    costUnknown: false,
    engineCosts: null,
    ratedAt: null,
    endedAt: new Date(admittedAt.getTime() + 1500),
    month: admittedAt.toISOString().slice(0, 7),
    planId: "plan_free",
    heldMicros: 9000,
    heldGrantMicros: 0,
    source: null,
    heldTokens: 9000,
    chargedMicros: 1000,
    overrunMicros: 0,
    providerCostMicros: 300,
    infraCostMicros: 50,
    unchargedCostMicros: 0,
    pricingStatus: "priced",
    usageEstimated: false,
    byModel: [{ provider: "lab", model: "test-model", role: "main", ...usage }],
    owner: null,
    heldUntil: null,
    traceId: null,
    caller: null,
    attributed: false,
    ...change,
    admittedAt,
    tokensIn,
    tokensOut,
  };
  await deps.storage.transact((tx) => tx.insert(deps.storage.tables.invocations).values(row));
  return row;
}
