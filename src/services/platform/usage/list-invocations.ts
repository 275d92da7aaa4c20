import { and, eq, isNull, type SQL, sql } from "drizzle-orm";
import type { SourceFilter } from "../../../contracts/daemon/runs/run-sources.ts";
import type {
  AgentInvocations,
  ListedInvocation,
  TenantInvocations,
} from "../../../contracts/platform/observability.ts";
import type { RuntimeClient } from "../../../contracts/runtime/client.ts";
import type { BeginningTexts } from "../../../contracts/runtime/runs.ts";
import { type PageRequest, readIdCursor } from "../../../http/paging.ts";
import type { TenantActor } from "../auth/credentials.ts";
import { type FeedbackFilter, feedbackOf, isJudged } from "../feedback/store.ts";
import type { InvocationRow } from "../runs/schema.ts";
import type { PlatformTables, StoreDeps } from "../tables.ts";
import { findInvocations } from "./invocation-windows.ts";
import { getObservedAgent, presentObserved } from "./observe-agent.ts";
import { presentInvocation } from "./present-invocation.ts";

export interface ListDeps extends StoreDeps {
  runtime: Pick<RuntimeClient, "traceTexts">;
}

/** Filter of runs by their source. */
export interface SourceQuery {
  source?: SourceFilter;
}

/** True if the query asks for trials or evals. */
export const isTest = (query: SourceQuery): query is { source: "playground" | "eval" } =>
  query.source === "playground" || query.source === "eval";

/** Condition for the runs of a source; undefined for all. Tenants have no triggers. */
export function isOfSource({ invocations }: PlatformTables, query: SourceQuery): SQL | undefined {
  if (isTest(query)) return eq(invocations.source, query.source);
  if (query.source === "trigger") return sql`false`;
  return (query.source ?? "all") === "all" ? undefined : isNull(invocations.source);
}

export interface InvocationsQuery extends PageRequest, FeedbackFilter, SourceQuery {
  texts?: "true" | "false";
}

/** Lists an agent's runs, newest first. */
export async function listAgentInvocations(
  deps: ListDeps,
  { tenantId }: TenantActor,
  name: string,
  query: InvocationsQuery,
): Promise<AgentInvocations> {
  const { read, tables } = deps.storage;
  const agent = await getObservedAgent(read, tables, tenantId, name);
  const { page, next, shownOf } = await readPage(
    deps,
    tenantId,
    query,
    eq(tables.invocations.agentId, agent.id),
  );
  return { agent: presentObserved(agent), invocations: page.map(shownOf), ...next };
}

/** Lists the runs of all agents of a tenant, newest first, including those of deleted agents. */
export async function listTenantInvocations(
  deps: ListDeps,
  { tenantId }: TenantActor,
  query: InvocationsQuery,
): Promise<TenantInvocations> {
  const { page, next, shownOf } = await readPage(deps, tenantId, query);
  return {
    invocations: page.map((row) => ({
      ...shownOf(row),
      agent_id: row.agentId,
      agent_name: row.agentName,
    })),
    ...next,
  };
}

async function readPage(
  { storage: { read, tables }, runtime }: ListDeps,
  tenantId: string,
  { limit, cursor, texts, ...judged }: InvocationsQuery,
  scope?: SQL,
) {
  const ofTenant = eq(tables.invocations.tenantId, tenantId);
  const ofSource = isOfSource(tables, judged);
  const { page, next } = await findInvocations(read, tables, {
    // Tests are few, and an index has them.
    scope: and(ofTenant, isTest(judged) ? ofSource : scope),
    others: and(isTest(judged) ? scope : ofSource, isJudged(tables, judged)),
    limit,
    before: readIdCursor(cursor),
  });
  const verdictsOf = await feedbackOf(read, tables, page);
  const beginnings = texts === "true" ? await textsOf(runtime, tenantId, page) : noTexts;
  const shownOf = (row: InvocationRow): ListedInvocation => ({
    ...presentInvocation(row),
    ...verdictsOf(row),
    ...beginnings.get(row.traceId ?? ""),
  });
  return { page, next, shownOf };
}

const noTexts: ReadonlyMap<string, BeginningTexts> = new Map();

/** Returns the texts by trace. A list is worth showing without them, so a runtime that doesn't answer leaves them out. */
async function textsOf(
  runtime: ListDeps["runtime"],
  tenantId: string,
  rows: readonly InvocationRow[],
): Promise<ReadonlyMap<string, BeginningTexts>> {
  const ids = rows.flatMap(({ traceId }) => traceId ?? []);
  if (ids.length === 0) return noTexts;
  return runtime.traceTexts(tenantId, ids).catch(() => noTexts);
}
