import type { FireStatus } from "../../../contracts/daemon/triggers.ts";
import type { TriggerType } from "../../../manifest/agent/triggers.ts";
import type { Storage } from "../../../storage/storage.ts";
import type { Columns } from "../../../storage/tables/columns.ts";

/** Triggers of agents, and their fires. */
export const triggerTables = ({
  table,
  id,
  text,
  instant,
  json,
  flag,
  index,
  unique,
  primaryKey,
}: Columns) => ({
  /** What is known of a trigger beside its manifest. */
  triggers: table(
    "triggers",
    {
      tenant: id("tenant").notNull(),
      agent: id("agent").notNull(),
      name: id("name").notNull(),
      /** What its fires come from: `collection:<name>`, `channel:<name>`, or its type. */
      source: text("source").notNull(),
      /** Events of the source that fire it, separated by commas; empty: all. */
      events: text("events").notNull(),
      isPaused: flag("is_paused").notNull(),
      /** Schedules: the expression and the time zone that `cursorAt` is of. */
      schedule: text("schedule"),
      /** Schedules: fires up to this time are stored, or were left out. */
      cursorAt: instant("cursor_at"),
      /** When a process last had it loaded. */
      seenAt: instant("seen_at").notNull(),
    },
    (trigger) => [
      primaryKey({ columns: [trigger.tenant, trigger.agent, trigger.name] }),
      index("triggers_source").on(trigger.tenant, trigger.source),
    ],
  ),
  triggerFires: table(
    "trigger_fires",
    {
      tenant: id("tenant").notNull(),
      /** Ascending. */
      id: id("id").notNull(),
      agent: id("agent").notNull(),
      trigger: id("trigger").notNull(),
      type: text("type").$type<TriggerType>().notNull(),
      /** Equal for the same event, however often it arrives. */
      key: text("key").notNull(),
      status: text("status").$type<FireStatus>().notNull(),
      /** True if a person fired it. */
      byPerson: flag("by_person").notNull(),
      /** When it was due. */
      dueAt: instant("due_at").notNull(),
      /** What the event brought; null once the run has ended. */
      payload: json<unknown>("payload"),
      createdAt: instant("created_at").notNull(),
      startedAt: instant("started_at"),
      endedAt: instant("ended_at"),
      /** Process that runs it, and the end of its lease. */
      owner: text("owner"),
      heldUntil: instant("held_until"),
      traceId: text("trace_id"),
      sessionId: text("session_id"),
      /** Approval or call of the client that its run waits for. */
      awaits: text("awaits"),
      errorCode: text("error_code"),
      errorMessage: text("error_message"),
    },
    (fire) => [
      primaryKey({ columns: [fire.tenant, fire.id] }),
      unique("trigger_fires_key").on(fire.tenant, fire.agent, fire.trigger, fire.key),
      index("trigger_fires_trigger").on(fire.tenant, fire.agent, fire.trigger, fire.id),
      index("trigger_fires_status").on(fire.status, fire.id),
      index("trigger_fires_age").on(fire.createdAt),
    ],
  ),
});

export type TriggerTables = ReturnType<typeof triggerTables>;
export type TriggerStorage = Storage<TriggerTables>;
export type TriggerRow = TriggerTables["triggers"]["$inferSelect"];
export type FireRow = TriggerTables["triggerFires"]["$inferSelect"];
