import { and, eq, getTableColumns, sql } from "drizzle-orm";
import { AppError } from "../../../../kit/app-error.ts";
import { boundRow, boundValue, equalsBound, statement } from "../../../../storage/statement.ts";
import type { Query, ReadQuery } from "../../../../storage/storage.ts";
import type { PlatformTables, StoreDeps } from "../../tables.ts";
import type { RunAttempt } from "../admission/admission.ts";

const dayMs = 86_400_000;

/** Time that an answer can be replayed, for successful and failed runs. */
export const replayMs = { ok: 30 * dayMs, failed: dayMs };

/**
 * Claims the caller's key for this run. If the key was used before for the same request, returns that invocation. Throws 409 if the key
 * belongs to another tenant, 422 if it was used for another request.
 */
export async function claimKey(
  tx: Query,
  tables: PlatformTables,
  { tenantId, agent, invocationId, idempotency, now }: RunAttempt,
): Promise<string | undefined> {
  if (idempotency === undefined) return undefined;
  const { key, bodyHash } = idempotency;
  const row = {
    key,
    tenantId,
    agentId: agent.id,
    bodyHash,
    invocationId,
    status: null,
    answer: null,
    expiresAt: new Date(now.getTime() + replayMs.ok),
  };
  const [claimed] = await keyClaim(tx, tables).execute({ ...row, now });
  if (claimed !== undefined) return undefined;
  const [used] = await ofKey(tx, tables).execute({ key });
  return invocationOf(used, { tenantId, agentId: agent.id, bodyHash });
}

/** Inserts a key, or takes over an expired one. */
const keyClaim = statement((tx: Query, { idempotencyKeys }: PlatformTables) => {
  const columns = Object.entries(getTableColumns(idempotencyKeys));
  const given = columns.map(([name, column]) => [name, sql`excluded.${sql.identifier(column.name)}`]);
  return tx
    .insert(idempotencyKeys)
    .values(boundRow(idempotencyKeys))
    .onConflictDoUpdate({
      target: idempotencyKeys.key,
      set: Object.fromEntries(given),
      setWhere: sql`${idempotencyKeys.expiresAt} <= ${boundValue(idempotencyKeys.expiresAt, "now")}`,
    })
    .returning({ key: idempotencyKeys.key })
    .prepare("claim_idempotency_key");
});

const ofKey = statement((query: ReadQuery, { idempotencyKeys }: PlatformTables) =>
  query
    .select()
    .from(idempotencyKeys)
    .where(equalsBound(idempotencyKeys.key, "key"))
    .prepare("idempotency_key"),
);

/** Returns the invocation that this key was used for; undefined if it is free. Throws like `claimKey`. */
export async function findUsedKey(
  { storage: { read, tables }, clock }: Pick<StoreDeps, "storage" | "clock">,
  { tenantId, id: agentId }: { tenantId: string; id: string },
  { key, bodyHash }: { key: string; bodyHash: string },
): Promise<string | undefined> {
  const [used] = await ofKey(read, tables).execute({ key });
  const isInForce = used !== undefined && used.expiresAt > clock.now();
  return isInForce ? invocationOf(used, { tenantId, agentId, bodyHash }) : undefined;
}

function invocationOf(
  used: { tenantId: string; agentId: string; bodyHash: string; invocationId: string } | undefined,
  asked: { tenantId: string; agentId: string; bodyHash: string },
): string {
  if (used === undefined || used.tenantId !== asked.tenantId) {
    throw new AppError(
      "conflict",
      "idempotency_key_conflict",
      "This Idempotency-Key belongs to another tenant. Choose another key.",
    );
  }
  if (used.agentId === asked.agentId && used.bodyHash === asked.bodyHash) return used.invocationId;
  throw new AppError(
    "unprocessable",
    "idempotency_key_reused",
    "This Idempotency-Key was used for another request. Choose a new key for each run.",
  );
}

/** Releases a key whose attempt led to no run. A rejection never binds a key. */
export async function releaseKey(
  tx: Query,
  { idempotencyKeys }: PlatformTables,
  { tenantId, invocationId, idempotency }: RunAttempt,
): Promise<void> {
  if (idempotency === undefined) return;
  await tx
    .delete(idempotencyKeys)
    .where(and(eq(idempotencyKeys.tenantId, tenantId), eq(idempotencyKeys.invocationId, invocationId)));
}

/** Answer that a repeated key gets. */
export interface KeptAnswer {
  /** HTTP status. */
  status: number;
  /** Sealed, because it contains the run's answer. */
  body: string;
  /** True if the run succeeded. */
  isOk: boolean;
}

/** Stores the answer of an ended run if its caller gave a key. */
export async function keepAnswer(
  tx: Query,
  tables: PlatformTables,
  { tenantId, id }: { tenantId: string; id: string },
  { status, body, isOk }: KeptAnswer,
  now: Date,
): Promise<void> {
  const expiresAt = new Date(now.getTime() + (isOk ? replayMs.ok : replayMs.failed));
  await answerUpdate(tx, tables).execute({ tenantId, invocationId: id, status, answer: body, expiresAt });
}

/**
 * Shortens the life of the key of a run that failed without an answer to keep. An answer from before a pause is dropped, because it says
 * that the run waits. Does nothing if the run has no key.
 */
export async function keepFailure(
  tx: Query,
  tables: PlatformTables,
  { tenantId, id }: { tenantId: string; id: string },
  now: Date,
): Promise<void> {
  const expiresAt = new Date(now.getTime() + replayMs.failed);
  await failureUpdate(tx, tables).execute({ tenantId, invocationId: id, expiresAt });
}

const failureUpdate = statement((tx: Query, { idempotencyKeys: keys }: PlatformTables) =>
  tx
    .update(keys)
    .set({ status: null, answer: null, expiresAt: sql`${boundValue(keys.expiresAt, "expiresAt")}` })
    .where(and(equalsBound(keys.tenantId, "tenantId"), equalsBound(keys.invocationId, "invocationId")))
    .prepare("keep_failure"),
);

const answerUpdate = statement((tx: Query, { idempotencyKeys: keys }: PlatformTables) =>
  tx
    .update(keys)
    .set({
      status: sql`${boundValue(keys.status, "status")}`,
      answer: sql`${boundValue(keys.answer, "answer")}`,
      expiresAt: sql`${boundValue(keys.expiresAt, "expiresAt")}`,
    })
    .where(and(equalsBound(keys.tenantId, "tenantId"), equalsBound(keys.invocationId, "invocationId")))
    .prepare("keep_answer"),
);
