import type { Fire, TriggerSummary } from "../../../contracts/daemon/triggers.ts";
import type { TriggerEntry } from "../../../manifest/agent/triggers.ts";
import type { AgentCatalog } from "../agents/agent-catalog.ts";
import type { FireRow, TriggerRow } from "./schema.ts";
import type { LoadedTrigger } from "./triggers.ts";

export const hookPath = (agent: string, trigger: string) => `/v1/hooks/${agent}/${trigger}`;

/** A loaded trigger, with what is stored of it; a trigger that is not noted yet has no row. */
export function presentTrigger(
  catalog: AgentCatalog,
  { agent, trigger: { declared } }: LoadedTrigger,
  { row, nextAt, last }: { row: TriggerRow | undefined; nextAt: Date | undefined; last: FireRow | undefined },
): TriggerSummary {
  const isPaused = row?.isPaused ?? false;
  return {
    agent: agent.name,
    name: declared.name,
    type: declared.type,
    paused: isPaused,
    agent_paused: catalog.statusOf(catalog.entryNow(agent.name)) === "paused",
    about: aboutOf(declared),
    ...(declared.type === "schedule" && { timezone: declared.timezone }),
    ...(declared.type === "webhook" && { path: hookPath(agent.name, declared.name) }),
    ...(nextAt !== undefined && !isPaused && { next_at: nextAt.toISOString() }),
    ...(last !== undefined && { last_fire: presentFire(last) }),
  };
}

function aboutOf(declared: TriggerEntry): string {
  switch (declared.type) {
    case "schedule":
      return declared.cron;
    case "webhook":
      return declared.signature;
    case "document":
      return `${declared.collection}: ${declared.changes.join(", ")}`;
    case "message":
      return declared.channel;
  }
}

export function presentFire(fire: FireRow): Fire {
  return {
    id: fire.id,
    agent: fire.agent,
    trigger: fire.trigger,
    type: fire.type,
    status: fire.status,
    by: fire.byPerson ? "person" : "event",
    due_at: fire.dueAt.toISOString(),
    created_at: fire.createdAt.toISOString(),
    ...(fire.startedAt !== null && { started_at: fire.startedAt.toISOString() }),
    ...(fire.endedAt !== null && { ended_at: fire.endedAt.toISOString() }),
    ...(fire.traceId !== null && { trace_id: fire.traceId }),
    ...(fire.sessionId !== null && { session_id: fire.sessionId }),
    ...(fire.awaits !== null && { awaits: fire.awaits }),
    ...(fire.errorCode !== null && { error: { code: fire.errorCode, message: fire.errorMessage ?? "" } }),
  };
}
