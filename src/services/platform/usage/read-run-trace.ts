import { and, eq } from "drizzle-orm";
import type { Span, Trace } from "../../../contracts/daemon/runs/run.ts";
import type { RuntimeClient } from "../../../contracts/runtime/client.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { TenantActor } from "../auth/credentials.ts";
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
  const traceId = row?.traceId ?? undefined;
  const trace = traceId === undefined ? undefined : await deps.runtime.trace(tenantId, traceId);
  if (trace === undefined)
    throw new AppError("not_found", "trace_not_found", "The steps of this run are not kept.");
  return { ...trace, spans: trace.spans.map(shownSpan) };
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
