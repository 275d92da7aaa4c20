import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { DeclaredSource } from "../../../contracts/daemon/runs/run-source.ts";
import type { InvocationStatus, PricingStatus } from "../../../contracts/platform/observability.ts";
import type { ModelUsage } from "../../../contracts/platform/runs/runs.ts";
import type { Columns } from "../../../storage/tables/columns.ts";

/** Statuses of runs that go on or went well; runs with the others have an index of their own. */
export const commonStatuses: readonly InvocationStatus[] = ["in_progress", "awaiting_approval", "ok"];

/** Condition for the other statuses, in literals: only then do queries use the partial index. */
export const isRare = (status: SQLWrapper): SQL =>
  sql`${status} not in (${sql.raw(commonStatuses.map((name) => `'${name}'`).join(", "))})`;

/** Records and charges of runs. All money is in micros. */
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
  /** One row per run, kept forever. Rejections are rows too; equal ones within one second share a row, with `count`. */
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
      /** Plan that the run is charged under. */
      planId: id("plan_id"),
      heldMicros: money("held_micros").notNull(),
      heldTokens: integer("held_tokens").notNull(),
      /** Part of the hold that grants pay. */
      heldGrantMicros: money("held_grant_micros").notNull().default(0),
      chargedMicros: money("charged_micros").notNull(),
      /** Amount by which the real price exceeds the hold; shown to operators only. */
      overrunMicros: money("overrun_micros").notNull(),
      /** Sum of the known costs. */
      providerCostMicros: money("provider_cost_micros").notNull(),
      /** True if the cost of a part of the run is unknown. */
      costUnknown: flag("cost_unknown").notNull().default(false),
      infraCostMicros: money("infra_cost_micros").notNull(),
      /**
       * Amount that counts towards `cancel_limit`: the cost of a run that its tenant ended without a charge, or that still waits for a
       * person.
       */
      unchargedCostMicros: money("uncharged_cost_micros").notNull().default(0),
      pricingStatus: text("pricing_status").$type<PricingStatus>(),
      /** When an operator had it priced again; null: priced at its end. */
      ratedAt: instant("rated_at"),
      usageEstimated: flag("usage_estimated").notNull(),
      tokensIn: integer("tokens_in").notNull(),
      tokensOut: integer("tokens_out").notNull(),
      byModel: json<ModelUsage[]>("by_model").notNull(),
      /** What the engine knew of the cost of each of `byModel`, in micros of USD. Shown to operators only. */
      engineCosts: json<(number | null)[]>("engine_costs"),
      /** Process that performs the run, and the end of its lease. */
      owner: text("owner"),
      heldUntil: instant("held_until"),
      traceId: text("trace_id"),
      /** Who asked for it, in the form of a `TenantActor`'s author. Null for runs of earlier versions. */
      caller: text("caller"),
      /** Null: production. */
      source: text("source").$type<DeclaredSource>(),
      /** True if `attributed_usage` contains the run. Refused runs are never in it. */
      attributed: flag("attributed").notNull().default(false),
    },
    (run) => [
      primaryKey({ columns: [run.tenantId, run.id] }),
      index("invocations_agent").on(run.tenantId, run.agentId, run.id),
      index("invocations_session").on(run.tenantId, run.sessionId, run.id),
      index("invocations_version").on(run.tenantId, run.agentId, run.agentVersion),
      index("invocations_month").on(run.month, run.id),
      index("invocations_all").on(run.id),
      index("invocations_open").on(run.tenantId, run.status).where(sql`${run.status} = 'in_progress'`),
      index("invocations_waiting")
        .on(run.tenantId, run.month)
        .where(sql`${run.status} = 'awaiting_approval'`),
      index("invocations_due").on(run.heldUntil).where(sql`${run.status} = 'in_progress'`),
      // Trials and evals are few among a tenant's runs.
      index("invocations_tests").on(run.tenantId, run.source, run.id).where(sql`${run.source} is not null`),
      index("invocations_rare").on(run.status, run.id).where(isRare(run.status)),
      index("invocations_unattributed").on(run.id).where(sql`not ${run.attributed}`),
      index("invocations_unpriced").on(run.month, run.id).where(sql`${run.pricingStatus} = 'unpriced'`),
    ],
  ),
  /** Sums over ended runs by month, caller and model: what reports on costs read. */
  attributedUsage: table(
    "attributed_usage",
    {
      tenantId: id("tenant_id").notNull(),
      month: text("month").notNull(),
      /** As in `invocations`; empty if unknown. */
      caller: id("caller").notNull(),
      /** Canonical name; empty for runs that called no model. */
      provider: id("provider").notNull(),
      model: id("model").notNull(),
      /** Runs. A run with several models counts at the one with the largest charge. */
      invocations: integer("invocations").notNull(),
      /** Runs that used the model. */
      uses: integer("uses").notNull(),
      tokensIn: money("tokens_in").notNull(),
      tokensOut: money("tokens_out").notNull(),
      tokensCached: money("tokens_cached").notNull(),
      chargedMicros: money("charged_micros").notNull(),
      /** Sum of the known costs. */
      providerCostMicros: money("provider_cost_micros").notNull(),
      /** Runs with an unknown cost, counted where `invocations` counts them. */
      unknownCosts: integer("unknown_costs").notNull(),
      /** Runs whose cost of this model is unknown. */
      unknownUses: integer("unknown_uses").notNull(),
    },
    (sum) => [
      primaryKey({ columns: [sum.tenantId, sum.month, sum.caller, sum.provider, sum.model] }),
      index("attributed_usage_month").on(sum.month, sum.tenantId, sum.caller, sum.provider, sum.model),
    ],
  ),
  /** Keys from callers, and the answers to repeat. Unique on the whole platform. */
  idempotencyKeys: table(
    "idempotency_keys",
    {
      key: id("key").primaryKey(),
      tenantId: id("tenant_id").notNull(),
      agentId: id("agent_id").notNull(),
      /** SHA-256 of the request. */
      bodyHash: text("body_hash").notNull(),
      invocationId: id("invocation_id").notNull(),
      /** HTTP status and sealed body of the answer; null while the run is in progress. */
      status: integer("status"),
      answer: text("answer"),
      expiresAt: instant("expires_at").notNull(),
    },
    (row) => [
      index("idempotency_keys_age").on(row.expiresAt),
      index("idempotency_keys_run").on(row.tenantId, row.invocationId),
    ],
  ),
  /** Tokens of runs in progress. */
  runTokens: table(
    "run_tokens",
    {
      /** SHA-256 of the token. */
      hash: id("hash").primaryKey(),
      tenantId: id("tenant_id").notNull(),
      invocationId: id("invocation_id").notNull(),
      /** Permissions of its `send_message`. */
      reach: json<Record<string, unknown>>("reach").notNull(),
      /** Sealed: the caller's request, with which a durable run continues after a crash; null for other runs. */
      request: text("request"),
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
