import { and, asc, gt, type SQL } from "drizzle-orm";
import type { AnyPgColumn, PgTable } from "drizzle-orm/pg-core";
import { toAppError } from "../../kit/app-error.ts";
import type { Logger } from "../../kit/log.ts";
import { askedOwnersMax, type HeldElsewhere, noteElsewhere, type RoomStorage } from "../../storage/room.ts";

/** Another service, and what it holds for these tenants or orgs. */
export interface OtherService {
  service: "daemon" | "gateway";
  held(ids: string[]): Promise<HeldElsewhere[]>;
}

/**
 * Keeps what tenants or orgs store in other services beside what they store here, so that requests ask no other service. If one is away,
 * its last figures hold, and the next round asks again.
 */
export async function noteOwnersElsewhere(
  { storage, log }: { storage: RoomStorage; log: Logger },
  { owners, isLive }: { owners: PgTable & { id: AnyPgColumn }; isLive?: SQL },
  holders: readonly OtherService[],
): Promise<void> {
  for (let after = ""; ; ) {
    const rows = await storage.read
      .select({ id: owners.id })
      .from(owners as PgTable)
      .where(and(gt(owners.id, after), isLive))
      .orderBy(asc(owners.id))
      .limit(askedOwnersMax);
    const ids = rows.map(({ id }) => String(id));
    const last = ids.at(-1);
    if (last === undefined) return;
    for (const { service, held } of holders) {
      try {
        await noteElsewhere(storage, await held(ids));
      } catch (thrown) {
        log.warn("storage.not_counted", { service, code: toAppError(thrown).code });
      }
    }
    after = last;
  }
}
