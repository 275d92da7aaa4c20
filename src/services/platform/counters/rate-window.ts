import { sql } from "drizzle-orm";
import { statement } from "../../../storage/statement.ts";
import type { Query } from "../../../storage/storage.ts";
import type { PlatformTables } from "../tables.ts";

const minuteMs = 60_000;

/** Counts an attempt in its UTC minute and returns the new count. */
export async function countAttempt(
  tx: Query,
  tables: PlatformTables,
  { tenantId, scope }: { tenantId: string; scope: string },
  now: Date,
): Promise<number> {
  const minute = new Date(Math.floor(now.getTime() / minuteMs) * minuteMs);
  const [row] = await counting(tx, tables).execute({ tenantId, scope, minute });
  return row?.attempts ?? 1;
}

const counting = statement((tx: Query, { rateWindows }: PlatformTables) =>
  tx
    .insert(rateWindows)
    .values({
      tenantId: sql.placeholder("tenantId"),
      scope: sql.placeholder("scope"),
      minute: sql.placeholder("minute"),
      attempts: 1,
    })
    .onConflictDoUpdate({
      target: [rateWindows.tenantId, rateWindows.scope, rateWindows.minute],
      set: { attempts: sql`${rateWindows.attempts} + 1` },
    })
    .returning({ attempts: rateWindows.attempts })
    .prepare("platform_count_attempt"),
);

/** Seconds until the next UTC minute, at least 1. */
export function secondsLeftInMinute(now: Date): number {
  return Math.max(1, Math.ceil((minuteMs - (now.getTime() % minuteMs)) / 1000));
}
