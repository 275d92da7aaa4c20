import { and, eq, exists, gt, isNotNull, isNull, or, type SQL } from "drizzle-orm";
import type { OwnerLife } from "../../../../storage/owner-life.ts";
import type { Storage } from "../../../../storage/storage.ts";
import type { PlatformTables } from "../../tables.ts";

/** A run that nobody continued for so long is ended: its caller expects nothing of it any more. */
const continuableMs = 60 * 60 * 1000;

/** Runs admitted before this time do not continue. */
export const continuableSince = (now: Date): Date => new Date(now.getTime() - continuableMs);

/** Condition for a run in progress that continues if its process dies. */
export function isContinuable({ read, tables }: Storage<PlatformTables>, now: Date): SQL {
  const { invocations, runTokens } = tables;
  const request = read
    .select({ hash: runTokens.hash })
    .from(runTokens)
    .where(
      and(
        eq(runTokens.tenantId, invocations.tenantId),
        eq(runTokens.invocationId, invocations.id),
        isNotNull(runTokens.request),
      ),
    );
  return and(gt(invocations.admittedAt, continuableSince(now)), exists(request)) as SQL;
}

/** Condition for a run whose process is dead or has left it. */
export function isLeftAlone({ tables: { invocations } }: Storage<PlatformTables>, life: OwnerLife): SQL {
  return or(isNull(invocations.owner), life.isDead(invocations.owner)) as SQL;
}
