import { and, asc, gt, isNull } from "drizzle-orm";
import type { RuntimeClient } from "../../../contracts/runtime/client.ts";
import { toAppError } from "../../../kit/app-error.ts";
import type { Logger } from "../../../kit/log.ts";
import { askedOwnersMax, noteElsewhere } from "../../../storage/room.ts";
import type { StoreDeps } from "../tables.ts";

/** Keeps what tenants store in the runtime beside what they store here, so that requests ask no other service. */
export async function noteTenantsElsewhere({
  storage,
  runtime,
  log,
}: Pick<StoreDeps, "storage"> & {
  runtime: Pick<RuntimeClient, "stored">;
  log: Logger;
}): Promise<void> {
  const { tenants } = storage.tables;
  for (let after = ""; ; ) {
    const rows = await storage.read
      .select({ id: tenants.id })
      .from(tenants)
      .where(and(gt(tenants.id, after), isNull(tenants.deletedAt)))
      .orderBy(asc(tenants.id))
      .limit(askedOwnersMax);
    const last = rows.at(-1);
    if (last === undefined) return;
    try {
      await noteElsewhere(storage, await runtime.stored(rows.map(({ id }) => id)));
    } catch (thrown) {
      // The next round asks again; until then the last figures hold.
      log.warn("storage.not_counted", { code: toAppError(thrown).code });
      return;
    }
    after = last.id;
  }
}
