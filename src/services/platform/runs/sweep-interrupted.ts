import { and, eq } from "drizzle-orm";
import type { Storage } from "../../../storage/storage.ts";
import type { PlatformTables } from "../tables.ts";
import { isLost } from "./owner-life.ts";
import { settleInvocation } from "./settle-invocation.ts";

const batchMax = 100;

/**
 * Ends runs whose process has died as `interrupted`, without a charge, and releases their holds and places. `owner` is this process;
 * without it, only the time limit identifies such runs. Returns their number.
 */
export async function sweepInterrupted(
  storage: Storage<PlatformTables>,
  now: Date,
  owner?: string,
): Promise<number> {
  const { invocations } = storage.tables;
  let swept = 0;
  for (;;) {
    const due = await storage.read
      .select({ tenantId: invocations.tenantId, invocationId: invocations.id })
      .from(invocations)
      .where(and(eq(invocations.status, "in_progress"), isLost(storage, { owner, now })))
      .limit(batchMax);
    for (const run of due) {
      const ending = {
        status: "interrupted" as const,
        errorCode: "interrupted",
        message: "The run was interrupted; it is not charged.",
        usage: [],
        durationMs: 0,
        isCharged: false,
      };
      if (await settleInvocation(storage, run, ending, now)) swept++;
    }
    if (due.length < batchMax) return swept;
  }
}
