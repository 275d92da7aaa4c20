import { sql } from "drizzle-orm";
import type { ModelUsage } from "../../../contracts/platform/runs.ts";
import type { Columns } from "../../../storage/columns.ts";

export type InvocationStatus =
  | "in_progress"
  | "awaiting_approval"
  | "ok"
  | "error"
  | "timeout"
  | "cancelled"
  | "rejected"
  | "interrupted";

/** `unpriced`: a part of it was charged zero, since no tariff was in force for a model. */
export type PricingStatus = "priced" | "unpriced";

/** Runs as they are recorded and charged, and what admission counts. All money in micros. */
export const runTables = ({
  table,
  id,
  text,
  integer,
  instant,
  json,
  money,
  flag,
  index,
  unique,
  primaryKey,
}: Columns) => ({
  /** One row a run, for ever. A rejection is a row too; equal ones of one second are one, with `count`. */
  invocations: table(
    "invocations",
    {
      tenantId: id("tenant_id").notNull(),
      id: id("id").notNull(),
      agentId: id("agent_id").notNull(),
      agentName: text("agent_name").notNull(),
      agentVersion: integer("agent_version").notNull(),
      subscriptionId: id("subscription_id"),
      status: text("status").$type<InvocationStatus>().notNull(),
      sessionId: text("session_id").notNull(),
      errorCode: text("error_code"),
      message: text("message"),
      count: integer("count").notNull(),
      admittedAt: instant("admitted_at").notNull(),
      endedAt: instant("ended_at"),
      /** `YYYY-MM` of the admission. */
      month: text("month").notNull(),
      /** The plan that the run is charged under. */
      planId: id("plan_id"),
      heldMicros: money("held_micros").notNull(),
      heldTokens: integer("held_tokens").notNull(),
      chargedMicros: money("charged_micros").notNull(),
      /** What the real price had over the hold: the operator's to know. */
      overrunMicros: money("overrun_micros").notNull(),
      providerCostMicros: money("provider_cost_micros").notNull(),
      infraCostMicros: money("infra_cost_micros").notNull(),
      /** What counts towards `cancel_limit`: the cost of a run that ended uncharged by its tenant's doing, or still waits for a person. */
      unchargedCostMicros: money("uncharged_cost_micros").notNull().default(0),
      pricingStatus: text("pricing_status").$type<PricingStatus>(),
      usageEstimated: flag("usage_estimated").notNull(),
      tokensIn: integer("tokens_in").notNull(),
      tokensOut: integer("tokens_out").notNull(),
      byModel: json<ModelUsage[]>("by_model").notNull(),
      /** The process in which it runs, and until when that is trusted to be alive. */
      owner: text("owner"),
      heldUntil: instant("held_until"),
      traceId: text("trace_id"),
    },
    (run) => [
      primaryKey({ columns: [run.tenantId, run.id] }),
      index("invocations_agent").on(run.tenantId, run.agentId, run.id),
      index("invocations_version").on(run.tenantId, run.agentId, run.agentVersion),
      index("invocations_month").on(run.month, run.id),
      index("invocations_all").on(run.id),
      index("invocations_open").on(run.tenantId, run.status).where(sql`${run.status} = 'in_progress'`),
      index("invocations_waiting")
        .on(run.tenantId, run.month)
        .where(sql`${run.status} = 'awaiting_approval'`),
      index("invocations_due").on(run.heldUntil).where(sql`${run.status} = 'in_progress'`),
    ],
  ),
  /** Keys that callers gave, and the answer that is given again. Unique over the whole platform. */
  idempotencyKeys: table(
    "idempotency_keys",
    {
      key: id("key").primaryKey(),
      tenantId: id("tenant_id").notNull(),
      agentId: id("agent_id").notNull(),
      /** SHA-256 of what was asked. */
      bodyHash: text("body_hash").notNull(),
      invocationId: id("invocation_id").notNull(),
      /** The HTTP status and the sealed body of the answer; null while the run is under way. */
      status: integer("status"),
      answer: text("answer"),
      expiresAt: instant("expires_at").notNull(),
    },
    (row) => [
      index("idempotency_keys_age").on(row.expiresAt),
      index("idempotency_keys_tenant").on(row.tenantId),
    ],
  ),
  /** What a tenant, or one of its subscriptions, has been charged and holds in a month. */
  creditCounters: table(
    "credit_counters",
    {
      tenantId: id("tenant_id").notNull(),
      /** `tenant`, or a subscription's id. */
      scope: id("scope").notNull(),
      month: text("month").notNull(),
      chargedMicros: money("charged_micros").notNull(),
      heldMicros: money("held_micros").notNull(),
      /** Cost of the runs that ended uncharged by the tenant's doing. */
      cancelledCostMicros: money("cancelled_cost_micros").notNull(),
    },
    (counter) => [primaryKey({ columns: [counter.tenantId, counter.scope, counter.month] })],
  ),
  /** Attempts that came to the rate check, by UTC minute. */
  rateWindows: table(
    "rate_windows",
    {
      tenantId: id("tenant_id").notNull(),
      scope: id("scope").notNull(),
      minute: instant("minute").notNull(),
      attempts: integer("attempts").notNull(),
    },
    (window) => [
      primaryKey({ columns: [window.tenantId, window.scope, window.minute] }),
      index("rate_windows_age").on(window.minute),
    ],
  ),
  /** Credentials of runs under way. */
  runTokens: table(
    "run_tokens",
    {
      /** SHA-256 of the token. */
      hash: id("hash").primaryKey(),
      tenantId: id("tenant_id").notNull(),
      invocationId: id("invocation_id").notNull(),
      /** What its `send_message` may do. */
      reach: json<Record<string, unknown>>("reach").notNull(),
      expiresAt: instant("expires_at").notNull(),
    },
    (token) => [
      unique("run_tokens_run").on(token.tenantId, token.invocationId),
      index("run_tokens_age").on(token.expiresAt),
    ],
  ),
});

export type RunTables = ReturnType<typeof runTables>;
export type InvocationRow = RunTables["invocations"]["$inferSelect"];
