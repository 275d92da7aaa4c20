import { and, desc, eq, notInArray } from "drizzle-orm";
import type { AppError } from "../../../kit/app-error.ts";
import type { Query } from "../../../storage/storage.ts";
import { tenantScope } from "../counters/credit-counters.ts";
import { basePlan } from "../plans/plan-in-force.ts";
import type { PlatformTables } from "../tables.ts";
import { giveNotice, hasHooks } from "./give-notice.ts";

const thresholds = [
  { event: "credits.80", percent: 80 },
  { event: "credits.100", percent: 100 },
] as const;

/** A run as it is recorded at its end. */
interface EndedRun {
  id: string;
  tenantId: string;
  agentId: string;
  agentName: string;
  month: string;
  status: string;
  errorCode: string | null;
  chargedMicros: number;
  pricingStatus: string | null;
  byModel: readonly { provider: string; model: string }[];
}

/** A tenant's counter after the settlement. */
interface SettledCounter {
  scope: string;
  chargedMicros: number;
  /** Credits of grants that the month's runs used or can still use. */
  allGrantsMicros: number;
}

/** Gives the notices that the end of a run causes, in its transaction. */
export async function noticeRun(
  tx: Query,
  tables: PlatformTables,
  run: EndedRun,
  counters: readonly SettledCounter[],
  now: Date,
): Promise<void> {
  const { tenantId, month } = run;
  if (!(await hasHooks(tx, tables, tenantId))) return;
  const counter = counters.find(({ scope }) => scope === tenantScope);
  if (counter !== undefined && run.chargedMicros > 0) await noticeCredits(tx, tables, run, counter, now);
  if (run.pricingStatus === "unpriced") {
    const models = [...new Set(run.byModel.map(({ provider, model }) => `${provider}/${model}`))];
    await giveNotice(
      tx,
      tables,
      {
        tenantId,
        event: "model.unpriced",
        occasion: `${month} ${models.join(" ")}`.slice(0, 255),
        text: `The agent ${run.agentName} used a model without a tariff: ${models.join(", ")}.`,
        data: { period: month, agent: run.agentName, models, invocation_id: run.id },
      },
      now,
    );
  }
  if (isFailure(run)) await noticeFailures(tx, tables, run, now);
}

async function noticeCredits(
  tx: Query,
  tables: PlatformTables,
  { tenantId, month }: EndedRun,
  { chargedMicros, allGrantsMicros }: SettledCounter,
  now: Date,
): Promise<void> {
  const { creditCapPeriodMicros: cap } = await basePlan(tx, tables, tenantId, now);
  if (cap === null) return;
  const limit = cap + allGrantsMicros;
  for (const { event, percent } of thresholds) {
    if (BigInt(chargedMicros) * 100n < BigInt(limit) * BigInt(percent)) continue;
    const data = { period: month, percent, charged_micros: chargedMicros, limit_micros: limit };
    const text = `${percent} % of the credits of ${month} are used.`;
    await giveNotice(tx, tables, { tenantId, event, occasion: month, text, data }, now);
  }
}

const isFailure = ({ status }: { status: string }) =>
  status === "error" || status === "timeout" || status === "interrupted";

/** An agent alerts if half of its last 20 runs failed. */
const runsSeen = 20;
const failuresMin = 10;

async function noticeFailures(
  tx: Query,
  tables: PlatformTables,
  { tenantId, agentId, agentName, month, errorCode }: EndedRun,
  now: Date,
): Promise<void> {
  const { invocations } = tables;
  const last = await tx
    .select({ status: invocations.status })
    .from(invocations)
    .where(
      and(
        eq(invocations.tenantId, tenantId),
        eq(invocations.agentId, agentId),
        notInArray(invocations.status, ["rejected", "in_progress", "awaiting_approval"]),
      ),
    )
    .orderBy(desc(invocations.id))
    .limit(runsSeen);
  const failures = last.filter(isFailure).length;
  if (failures < failuresMin) return;
  await giveNotice(
    tx,
    tables,
    {
      tenantId,
      event: "agent.alert",
      occasion: `${month} ${agentId}`,
      text: `${failures} of the last ${last.length} runs of the agent ${agentName} failed.`,
      data: { period: month, agent: agentName, failures, runs: last.length, last_error: errorCode },
    },
    now,
  );
}

/** Gives the notice of a refused run, once per month and reason. */
export function noticeRefusal(
  tx: Query,
  tables: PlatformTables,
  { tenantId, agent, month }: { tenantId: string; agent: string; month: string },
  { code, message }: AppError,
  now: Date,
): Promise<void> {
  const data = { period: month, agent, error: code, message };
  const text = `A run of the agent ${agent} was refused: ${message}`;
  return giveNotice(
    tx,
    tables,
    { tenantId, event: "run.refused", occasion: `${month} ${code}`, text, data },
    now,
  );
}
