import { and, eq, isNull } from "drizzle-orm";
import type { Span, Trace } from "../../../contracts/daemon/runs/run.ts";
import type { RuntimeClient } from "../../../contracts/runtime/client.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { Operator, TenantActor } from "../auth/credentials.ts";
import type { StoreDeps } from "../tables.ts";
import { getAgentInvocation } from "./observe-agent.ts";

export interface TraceDeps extends StoreDeps {
  runtime: Pick<RuntimeClient, "trace">;
}

/**
 * Returns the steps of a tenant's run. Throws 404 for a run that the agent doesn't have, and `trace_not_found` (404) for one whose trace
 * isn't kept, or not yet.
 */
export async function readRunTrace(
  deps: TraceDeps,
  tenant: TenantActor,
  name: string,
  id: string,
): Promise<Trace> {
  await getAgentInvocation(deps, tenant, name, id);
  const { read, tables } = deps.storage;
  const { invocations } = tables;
  const { tenantId } = tenant;
  const [row] = await read
    .select({ traceId: invocations.traceId })
    .from(invocations)
    .where(and(eq(invocations.tenantId, tenantId), eq(invocations.id, id)));
  const trace = await keptTrace(deps, tenantId, row?.traceId);
  return { ...trace, spans: trace.spans.map(shownSpan) };
}

/**
 * Returns the steps of any tenant's run, with what they cost, for an operator. Questions, answers, thoughts and inputs of tools are for a
 * person, who could read them as the tenant. Throws `invocation_not_found` (404), and `trace_not_found` (404) also for a run of a deleted
 * tenant.
 */
export async function readAnyRunTrace(deps: TraceDeps, { actor }: Operator, id: string): Promise<Trace> {
  const { read, tables } = deps.storage;
  const { invocations, tenants } = tables;
  const [row] = await read
    .select({ tenantId: invocations.tenantId, traceId: invocations.traceId, live: tenants.id })
    .from(invocations)
    .leftJoin(tenants, and(eq(tenants.id, invocations.tenantId), isNull(tenants.deletedAt)))
    .where(eq(invocations.id, id));
  if (row === undefined)
    throw new AppError("not_found", "invocation_not_found", "There is no such invocation.");
  const trace = await keptTrace(deps, row.tenantId, row.live === null ? null : row.traceId);
  return actor === "token" ? { ...trace, spans: trace.spans.map(textlessSpan) } : trace;
}

async function keptTrace({ runtime }: TraceDeps, tenantId: string, traceId?: string | null): Promise<Trace> {
  const trace = typeof traceId === "string" ? await runtime.trace(tenantId, traceId) : undefined;
  if (trace === undefined)
    throw new AppError("not_found", "trace_not_found", "The steps of this run are not kept.");
  return trace;
}

function textlessSpan(span: Span): Span {
  const { input: _, output: __, thoughts: ___, ...attributes } = span.attributes;
  return { ...span, attributes };
}

/**
 * Attributes of steps that a tenant may see. Others tell of the operator's side: what a call cost, which node ran it, and what a provider
 * said about the operator's account.
 */
const shown: ReadonlySet<string> = new Set([
  ...["agent", "session", "status", "error", "blocked_by", "simulated", "chain", "input", "output"],
  ...["pattern", "strategy", "turns", "summary", "history", "passages", "pipeline", "memories", "episodes"],
  ...[
    "provider",
    "model",
    "role",
    "attempt",
    "input_tokens",
    "output_tokens",
    "cached_tokens",
    "finish",
    "played",
  ],
  ...["tool", "ok", "name", "via", "depth", "attempts"],
]);

/** The findings of guardrails are attributes named like the guardrail. */
const isShown = (span: string, attribute: string) =>
  shown.has(attribute) || span === "guardrails.input" || span === "guardrails.output";

function shownSpan(span: Span): Span {
  const attributes = Object.entries(span.attributes).filter(([name]) => isShown(span.name, name));
  return { ...span, attributes: Object.fromEntries(attributes) };
}
