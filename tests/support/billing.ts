import { and, eq, gt } from "drizzle-orm";
import type { PlanInput } from "../../src/contracts/platform/billing/plans.ts";
import type {
  Subscription,
  SubscriptionInput,
  UsageEventInput,
} from "../../src/contracts/platform/billing/subscriptions.ts";
import type { TariffInput } from "../../src/contracts/platform/billing/tariffs.ts";
import { newId } from "../../src/kit/id.ts";
import { admitInvocation } from "../../src/services/platform/runs/admission/admit-invocation.ts";
import { settleInvocation } from "../../src/services/platform/runs/settlement/settle-invocation.ts";
import { asOperator, type TestPlatform, type TestTenant } from "./platform.ts";

/** A tariff of `lab/test-model`. */
export const tariff = (change: Partial<TariffInput> = {}): TariffInput => ({
  provider: "lab",
  model: "test-model",
  credits_per_1k_in_micros: 1000,
  credits_per_1k_out_micros: 2000,
  ...change,
});

/** A plan for the vertical `erp` with one unit, `erp.docs`. */
export const plan = (change: Partial<PlanInput> = {}): PlanInput => ({
  id: "erp_pro",
  name: "ERP Pro",
  argo_code: "erp",
  max_concurrency: null,
  max_rpm: null,
  credit_cap_period_micros: 50_000_000,
  max_tokens_per_call: 2048,
  max_run_tokens: 64_000,
  max_iterations: 10,
  max_active_agents: 25,
  min_fee_micros: 31_000_000,
  activation_price_micros: 5_000_000,
  included_credits_micros: 1_000_000,
  extra_credit_price_micros: 2_000_000,
  spec: { unidades: { "erp.docs": { incluidas: 10, excedente_micros: 50_000 } }, features: {} },
  ...change,
});

/** A base plan. */
export const basePlanBody = (change: Partial<PlanInput> = {}): PlanInput =>
  plan({ id: "base_pro", name: "Pro", argo_code: null, spec: { unidades: {}, features: {} }, ...change });

/** Creates plans as the operator. */
export async function addPlans({ call }: TestPlatform, ...plans: PlanInput[]): Promise<void> {
  for (const body of plans) {
    const { status, text } = await call("POST", "/api/v1/admin/plans", { headers: asOperator, body });
    if (status !== 201) throw new Error(text);
  }
}

/** Subscribes the tenant to `erp`, from the day of the test clock by default. The tenant becomes as old as its subscription. */
export async function subscribe(
  { call, clock, deps: { storage } }: TestPlatform,
  { id }: TestTenant,
  change: Partial<SubscriptionInput> = {},
): Promise<Subscription> {
  const { desde = clock.now().toISOString().slice(0, 10) } = change;
  const { tenants } = storage.tables;
  const [createdAt, endOfDay] = [new Date(desde), new Date(`${desde}T23:59:59.999Z`)];
  await storage.transact((tx) =>
    tx
      .update(tenants)
      .set({ createdAt })
      .where(and(eq(tenants.id, id), gt(tenants.createdAt, endOfDay))),
  );
  const body = { tenant_id: id, argo_code: "erp", plan_id: "erp_pro", desde, ...change };
  const answer = await call("POST", "/api/v1/admin/subscriptions", { headers: asOperator, body });
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.body;
}

/** A usage event at the test clock's instant. */
export const usageEvent = (
  { clock }: TestPlatform,
  { id }: Pick<Subscription, "id">,
  change: Partial<UsageEventInput> = {},
): UsageEventInput => ({
  event_id: "e1",
  subscription_id: id,
  unidad: "erp.docs",
  cantidad: 3,
  ocurrido_en: clock.now().toISOString(),
  ...change,
});

/** Returns the audit log in its order. */
export async function auditOf({
  deps,
}: TestPlatform): Promise<
  { actor: string; action: string; tenantId: string | null; subject: string | null }[]
> {
  const { audit } = deps.storage.tables;
  return deps.storage.read
    .select({ actor: audit.actor, action: audit.action, tenantId: audit.ownerId, subject: audit.subject })
    .from(audit)
    .orderBy(audit.id);
}

/** All callers without the operator role, with their headers. */
export const notOperators = (tenant: TestTenant): [string, Record<string, string>][] => [
  ["nobody", {}],
  ["a tenant's key", tenant.asProgram],
  ["a person", tenant.asPerson],
  ["a wrong token", { "x-operator-token": `${asOperator["x-operator-token"]}x` }],
];

/** Admits and settles a run at the test clock's instant directly in the ledger: `tokens` read by `lab/test-model`. Returns its charge. */
export async function chargeRun(
  { deps, clock }: Pick<TestPlatform, "deps" | "clock">,
  tenantId: string,
  {
    tokens,
    subscriptionId = null,
    model: name = "test-model",
    cost,
  }: { tokens: number; subscriptionId?: string | null; model?: string; cost?: number | null },
): Promise<number> {
  const invocationId = newId();
  const model = { provider: "lab", model: name };
  const verdict = await admitInvocation(deps.storage, {
    tenantId,
    invocationId,
    agent: { id: "agent", name: "support", version: 1, subscriptionId },
    sessionId: "s",
    caller: "cli",
    source: null,
    candidates: [model],
    idempotency: undefined,
    runToken: undefined,
    owner: deps.owner,
    now: clock.now(),
    timeoutMs: 120_000,
  });
  if (verdict.kind === "rejected") throw verdict.refusal;
  const used = {
    ...model,
    role: "main",
    tokens_in: tokens,
    tokens_out: 0,
    tokens_cached: 0,
    estimated: false,
    ...(cost !== undefined && { cost_micros: cost }),
  };
  const ending = { status: "ok" as const, usage: [used], durationMs: 1, isCharged: true };
  const settled = await settleInvocation(deps.storage, { tenantId, invocationId }, ending, clock.now());
  return settled?.invocation.chargedMicros ?? 0;
}
