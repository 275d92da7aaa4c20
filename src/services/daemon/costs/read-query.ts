import type { CostHistory } from "../../../contracts/daemon/models/costs.ts";
import { AppError } from "../../../kit/app-error.ts";
import { localDayAt, localDayStart } from "../../../kit/cron/local-days.ts";
import type { OffsetAt } from "../../../kit/cron/next-instant.ts";
import { parseInstant } from "../../../kit/parse-instant.ts";
import type { AgentCatalog } from "../agents/agent-catalog.ts";
import { operatorTenant } from "../operator-tenant.ts";
import type { CostLedger } from "./cost-ledger.ts";

/** Checks the agent of a query: it must be loaded, or have called models in the past. Throws `agent_not_found` for any other. */
export async function readAgent(
  { catalog, costs }: { catalog: AgentCatalog; costs: { ledger: CostLedger } },
  agent: string | undefined,
): Promise<{ agent?: string }> {
  if (agent === undefined) return {};
  if (!(await costs.ledger.knows(operatorTenant, agent))) await catalog.getEntry(agent);
  return { agent };
}

export function readSince(since: string | undefined): { since?: Date } {
  if (since === undefined) return {};
  const instant = parseInstant(since);
  if (instant !== undefined) return { since: instant };
  const message = "must be an ISO 8601 day or instant";
  throw new AppError("invalid", "invalid_request", `The query is not valid: since ${message}.`, {
    details: {
      hint: "For example 2026-01-31 or 2026-01-31T12:00:00Z; in a URL a + is written %2B.",
      problems: [{ path: "since", message }],
    },
  });
}

const hourMs = 60 * 60 * 1000;
const intervalMs = { hour: hourMs, day: 24 * hourMs };
/** Default number of intervals: 24 hours, or 30 days. */
const intervalsUsual = { hour: 24, day: 30 };
/** Maximum number of intervals in an answer. */
const intervalsMax = 1000;

/** Start of a history, and a function for the start of the interval that has an instant. */
export interface HistorySpan {
  since: Date;
  startOf: (at: Date) => Date;
  /** Length of an interval, but for days on which the clock changes. */
  usualMs: number;
}

/**
 * The start is rounded to whole intervals and limited to `intervalsMax`. With the offsets of a time zone, days are those of its wall clock;
 * an hour counts in the day in which it begins.
 */
export function historySince(
  now: Date,
  interval: CostHistory["interval"],
  since: Date | undefined,
  offsetAt?: OffsetAt,
): HistorySpan {
  if (interval === "day" && offsetAt !== undefined) {
    const today = localDayAt(offsetAt, now.getTime());
    const wanted =
      since === undefined
        ? today - (intervalsUsual.day - 1)
        : localDayAt(offsetAt, Math.max(since.getTime(), 0));
    const first = Math.max(wanted, today - (intervalsMax - 1));
    const startOf = (at: Date) => new Date(localDayStart(offsetAt, localDayAt(offsetAt, at.getTime())));
    return { since: new Date(localDayStart(offsetAt, first)), startOf, usualMs: intervalMs.day };
  }
  const length = intervalMs[interval];
  const nowMs = now.getTime();
  const wantedMs = since?.getTime() ?? nowMs - (intervalsUsual[interval] - 1) * length;
  const startMs = Math.max(wantedMs, nowMs - (intervalsMax - 1) * length);
  const startOf = (at: Date) => new Date(Math.floor(at.getTime() / length) * length);
  return { since: startOf(new Date(startMs)), startOf, usualMs: length };
}
