import type { CostHistory } from "../../../contracts/daemon/costs.ts";
import { AppError } from "../../../kit/app-error.ts";
import { parseInstant } from "../../../kit/parse-instant.ts";
import { type DaemonDeps, operatorTenant } from "../deps.ts";

/** The agent that is asked about: one that is loaded, or that was and has called models; `agent_not_found` for any other. */
export async function readAgent(
  { catalog, costs }: DaemonDeps,
  agent: string | undefined,
): Promise<{ agent?: string }> {
  if (agent === undefined) return {};
  if (!(await costs.ledger.knows(operatorTenant, agent))) catalog.getEntry(agent);
  return { agent };
}

export function readSince(since: string | undefined): { since?: Date } {
  if (since === undefined) return {};
  const instant = parseInstant(since);
  if (instant !== undefined) return { since: instant };
  const message = "must be a day or an instant as ISO 8601 writes it";
  throw new AppError("invalid", "invalid_request", `The query is not valid: since ${message}.`, {
    details: {
      hint: "For example 2026-01-31 or 2026-01-31T12:00:00Z; in a URL a + is written %2B.",
      problems: [{ path: "since", message }],
    },
  });
}

const hourMs = 60 * 60 * 1000;
const intervalMs = { hour: hourMs, day: 24 * hourMs };
/** Where nobody says since when: a day of hours, a month of days. */
const intervalsUsual = { hour: 24, day: 30 };
/** An answer has no more intervals than this. */
const intervalsMax = 1000;

/** Since when a history is told, and the length of its intervals: whole ones, and not too many of them. */
export function historySince(
  now: Date,
  interval: CostHistory["interval"],
  since: Date | undefined,
): { since: Date; intervalMs: number } {
  const length = intervalMs[interval];
  const nowMs = now.getTime();
  const wantedMs = since?.getTime() ?? nowMs - (intervalsUsual[interval] - 1) * length;
  const startMs = Math.max(wantedMs, nowMs - (intervalsMax - 1) * length);
  return { since: new Date(Math.floor(startMs / length) * length), intervalMs: length };
}
