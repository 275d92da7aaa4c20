import { eq, lt } from "drizzle-orm";
import { idempotencyHeader } from "../../../http/idempotency-key.ts";
import { AppError } from "../../../kit/app-error.ts";
import { credentialDigest } from "../../../kit/credential-digest.ts";
import { canonicalJson } from "../../../kit/json/canonical-json.ts";
import { dayMs } from "../../../kit/utc-calendar.ts";
import type { Query } from "../../../storage/storage.ts";
import type { PlatformTables, StoreDeps } from "../tables.ts";

/** Time for which a key gives the same answer. */
const keptDays = 30;

export const operatorKeyHeader = idempotencyHeader(
  `A repeated request with the same key returns the first answer for ${keptDays} days and creates nothing.`,
);

/**
 * Makes something once for each key, in the caller's transaction: a repeated request waits for the first and gets its answer. Throws 422
 * `idempotency_key_reused` for another request with the key. Without a key, makes it each time. Call it before locks are taken.
 */
export async function onceByKey<Answer extends object>(
  tx: Query,
  { operatorKeys }: PlatformTables,
  { key, request }: { key: string | undefined; request: unknown },
  now: Date,
  make: () => Promise<Answer>,
): Promise<Answer> {
  if (key === undefined) return make();
  const bodyHash = credentialDigest(canonicalJson(request));
  const [taken] = await tx
    .insert(operatorKeys)
    .values({ key, bodyHash, answer: null, createdAt: now })
    .onConflictDoNothing()
    .returning({ key: operatorKeys.key });
  if (taken === undefined) {
    const [row] = await tx.select().from(operatorKeys).where(eq(operatorKeys.key, key));
    if (row?.bodyHash === bodyHash) return row.answer as Answer;
    throw new AppError(
      "unprocessable",
      "idempotency_key_reused",
      "This Idempotency-Key was used for another request. Choose a new one.",
    );
  }
  const answer = await make();
  await tx
    .update(operatorKeys)
    .set({ answer: answer as Record<string, unknown> })
    .where(eq(operatorKeys.key, key));
  return answer;
}

/** Deletes keys that are older than they are kept. */
export async function dropOldKeys({ storage, clock }: Pick<StoreDeps, "storage" | "clock">): Promise<void> {
  const { operatorKeys } = storage.tables;
  const before = new Date(clock.now().getTime() - keptDays * dayMs);
  await storage.transact((tx) => tx.delete(operatorKeys).where(lt(operatorKeys.createdAt, before)));
}
