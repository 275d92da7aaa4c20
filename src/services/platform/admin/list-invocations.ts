import { and, eq, inArray, isNull, type SQL } from "drizzle-orm";
import type {
  AdminInvocationDetail,
  AdminInvocationList,
  PricedModelUsage,
} from "../../../contracts/platform/admin.ts";
import type { InvocationStatus, PricingStatus } from "../../../contracts/platform/observability.ts";
import type { BeginningTexts } from "../../../contracts/runtime/runs.ts";
import { type PageRequest, readIdCursor } from "../../../http/paging.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { ReadQuery } from "../../../storage/storage.ts";
import type { Operator } from "../auth/credentials.ts";
import { type FeedbackFilter, feedbackOf, isJudged } from "../feedback/store.ts";
import { commonStatuses, type InvocationRow, isRare } from "../runs/schema.ts";
import { usageOf } from "../runs/settlement/merge-usage.ts";
import type { PlatformTables, StoreDeps } from "../tables.ts";
import { priceRun } from "../tariffs/price-run.ts";
import { ratesInForce } from "../tariffs/rates-in-force.ts";
import { tenantNames } from "../tenants/tenant-names.ts";
import { findInvocations } from "../usage/invocation-windows.ts";
import { isOfSource, isTest, type ListDeps, type SourceQuery } from "../usage/list-invocations.ts";
import { presentForOperator } from "../usage/present-invocation.ts";

export interface InvocationFilter extends FeedbackFilter, SourceQuery {
  tenant_id?: string;
  agent_id?: string;
  status?: InvocationStatus;
  pricing_status?: PricingStatus;
  period?: string;
  texts?: "true" | "false";
}

/** Lists the matching runs of all tenants, newest first. Texts are left out for an operator's token, which reaches no tenant. */
export async function listInvocations(
  deps: ListDeps,
  operator: Operator,
  filter: InvocationFilter,
  { limit, cursor }: PageRequest,
): Promise<AdminInvocationList> {
  const { read, tables } = deps.storage;
  const { page, next } = await findInvocations(read, tables, {
    ...(await conditions(read, tables, filter)),
    limit,
    before: readIdCursor(cursor),
  });
  const names = await tenantNames(
    read,
    tables,
    page.map(({ tenantId }) => tenantId),
  );
  const nameOf = (id: string) => names.get(id) ?? id;
  const verdictsOf = await feedbackOf(read, tables, page);
  const isPerson = operator.actor !== "token";
  const texts = filter.texts === "true" && isPerson ? await textsOfTenants(deps, page) : undefined;
  return {
    invocations: page.map((row) => ({
      ...presentForOperator(row, nameOf(row.tenantId)),
      ...verdictsOf(row),
      ...texts?.get(row.id),
    })),
    ...next,
  };
}

/**
 * Returns the texts by run, of tenants that an operator reaches: a deleted one is out of reach. Asks the runtime tenant by tenant, and no
 * more once it doesn't answer: a list is worth showing without texts.
 */
async function textsOfTenants(
  { storage: { read, tables }, runtime }: ListDeps,
  rows: readonly InvocationRow[],
): Promise<ReadonlyMap<string, BeginningTexts>> {
  const { tenants } = tables;
  const traced = rows.filter(({ traceId }) => traceId !== null);
  const byTenant = Map.groupBy(traced, ({ tenantId }) => tenantId);
  const beginnings = new Map<string, BeginningTexts>();
  if (byTenant.size === 0) return beginnings;
  const live = await read
    .select({ id: tenants.id })
    .from(tenants)
    .where(and(inArray(tenants.id, [...byTenant.keys()]), isNull(tenants.deletedAt)));
  for (const { id } of live) {
    const own = byTenant.get(id) ?? [];
    const ids = own.flatMap(({ traceId }) => traceId ?? []);
    const texts = await runtime.traceTexts(id, ids).catch(() => undefined);
    if (texts === undefined) break;
    for (const row of own) beginnings.set(row.id, texts.get(row.traceId ?? "") ?? {});
  }
  return beginnings;
}

/** Returns the conditions that lead an index, and those checked on each of its rows. */
async function conditions(
  read: ReadQuery,
  tables: PlatformTables,
  { tenant_id, agent_id, status, pricing_status, period, ...more }: InvocationFilter,
): Promise<{ scope: SQL | undefined; others: SQL | undefined }> {
  const { invocations } = tables;
  // An index has the runs of an agent behind its tenant.
  const tenantId = tenant_id ?? (agent_id === undefined ? undefined : await tenantOf(read, tables, agent_id));
  const ofTenant = tenantId === undefined ? undefined : eq(invocations.tenantId, tenantId);
  const ofAgent = agent_id === undefined ? undefined : eq(invocations.agentId, agent_id);
  const ofMonth = period === undefined ? undefined : eq(invocations.month, period);
  const ofStatus = status === undefined ? undefined : eq(invocations.status, status);
  const ofSource = isOfSource(tables, more);
  const others = and(
    pricing_status === undefined ? undefined : eq(invocations.pricingStatus, pricing_status),
    isJudged(tables, more),
  );
  if (ofTenant !== undefined && isTest(more))
    return { scope: and(ofTenant, ofSource), others: and(ofAgent, ofMonth, ofStatus, others) };
  if (ofTenant !== undefined)
    return { scope: and(ofTenant, ofAgent), others: and(ofMonth, ofStatus, ofSource, others) };
  if (status !== undefined && !commonStatuses.includes(status))
    return {
      scope: and(ofStatus, isRare(invocations.status)),
      others: and(ofMonth, ofAgent, ofSource, others),
    };
  return { scope: ofMonth, others: and(ofAgent, ofStatus, ofSource, others) };
}

async function tenantOf(
  read: ReadQuery,
  { agents }: PlatformTables,
  agentId: string,
): Promise<string | undefined> {
  const [agent] = await read.select({ tenantId: agents.tenantId }).from(agents).where(eq(agents.id, agentId));
  return agent?.tenantId;
}

/** Returns all details of a run, including its costs by model. Throws 404. */
export async function readInvocation(
  { storage: { read, tables } }: StoreDeps,
  id: string,
): Promise<AdminInvocationDetail> {
  const { invocations } = tables;
  const [row] = await read.select().from(invocations).where(eq(invocations.id, id));
  if (row === undefined)
    throw new AppError("not_found", "invocation_not_found", "There is no such invocation.");
  const names = await tenantNames(read, tables, [row.tenantId]);
  const usage = usageOf(row);
  const ratesOf = await ratesInForce(
    read,
    tables,
    usage,
    row.admittedAt,
    row.ratedAt ?? row.endedAt ?? undefined,
  );
  const byModel = priceRun(usage, ratesOf, 0).byModel.map(
    ({ estimated: _, cost_micros: __, creditsMicros, providerCostMicros, ...model }): PricedModelUsage => ({
      ...model,
      tokens: model.tokens_in + model.tokens_out,
      credits_micros: creditsMicros,
      provider_cost_micros: providerCostMicros,
    }),
  );
  const verdictsOf = await feedbackOf(read, tables, [row]);
  return {
    ...presentForOperator(row, names.get(row.tenantId) ?? row.tenantId),
    ...verdictsOf(row),
    usage: { tokens_in: row.tokensIn, tokens_out: row.tokensOut, by_model: byModel },
    unpriced_models: unpricedOf(byModel),
    trace_id: row.traceId,
    owner: row.owner,
    held_until: row.heldUntil?.toISOString() ?? null,
  };
}

function unpricedOf(byModel: readonly PricedModelUsage[]): { provider: string; model: string }[] {
  const unpriced = byModel.filter(({ priced }) => !priced);
  const named = new Map(
    unpriced.map(({ provider, model }) => [JSON.stringify([provider, model]), { provider, model }]),
  );
  return [...named.values()];
}
