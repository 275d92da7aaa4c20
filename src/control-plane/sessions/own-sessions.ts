import { and, desc, eq, gt, isNull, max, ne, type SQL } from "drizzle-orm";
import type { OwnSessionList } from "../../contracts/sessions.ts";
import { AppError } from "../../kit/app-error.ts";
import type { Query } from "../../storage/storage.ts";
import { writeAudit } from "../audit/write-audit.ts";
import type { SessionDeps, SessionTables } from "./session-tables.ts";

/** A person and the session in which they ask. */
export interface SessionOwner {
  userId: string;
  sessionId: string;
}

/** Sessions that a list shows. */
const shownMax = 200;

/** Sessions of a person that still work, the last used first. */
export async function listSessions(
  { storage: { read, tables }, clock }: Pick<SessionDeps, "storage" | "clock">,
  { userId, sessionId }: SessionOwner,
): Promise<OwnSessionList> {
  const { sessions, refreshTokens } = tables;
  const usedAt = max(refreshTokens.issuedAt);
  const rows = await read
    .select({
      id: sessions.id,
      createdAt: sessions.createdAt,
      client: sessions.client,
      address: sessions.address,
      usedAt,
    })
    .from(sessions)
    .innerJoin(refreshTokens, eq(refreshTokens.sessionId, sessions.id))
    .where(
      and(eq(sessions.userId, userId), isNull(sessions.revokedAt), gt(refreshTokens.expiresAt, clock.now())),
    )
    .groupBy(sessions.id, sessions.createdAt, sessions.client, sessions.address)
    .orderBy(desc(usedAt), desc(sessions.id))
    .limit(shownMax);
  return {
    sessions: rows.map(({ id, createdAt, client, address, usedAt: lastUsed }) => ({
      id,
      created_at: createdAt.toISOString(),
      last_used_at: (lastUsed ?? createdAt).toISOString(),
      client,
      address,
      current: id === sessionId,
    })),
  };
}

/** Ends one session of the person, also the one in which they ask. Throws 404 for all others. */
export async function endOwnSession(
  deps: SessionDeps,
  { userId }: SessionOwner,
  sessionId: string,
): Promise<void> {
  const { storage, clock } = deps;
  const { sessions } = storage.tables;
  await storage.transact(async (tx) => {
    const now = clock.now();
    const ended = await endWhere(tx, storage.tables, userId, eq(sessions.id, sessionId), now);
    if (ended.length === 0) throw new AppError("not_found", "not_found", "You have no such session.");
    await auditEnd(deps, tx, userId, now, { subject: sessionId });
  });
}

/** Ends every session of the person but the one in which they ask. */
export async function endOtherSessions(
  deps: SessionDeps,
  { userId, sessionId }: SessionOwner,
): Promise<void> {
  const { storage, clock } = deps;
  await storage.transact(async (tx) => {
    const now = clock.now();
    const ended = await endSessionsOf(tx, storage.tables, userId, now, sessionId);
    if (ended > 0) await auditEnd(deps, tx, userId, now, { subject: userId, detail: { ended } });
  });
}

/** Ends the sessions of a person, all but `kept`: their tokens stop working at once. Returns how many. */
export async function endSessionsOf(
  tx: Query,
  tables: SessionTables,
  userId: string,
  now: Date,
  kept?: string,
): Promise<number> {
  const others = kept === undefined ? undefined : ne(tables.sessions.id, kept);
  return (await endWhere(tx, tables, userId, others, now)).length;
}

async function endWhere(
  tx: Query,
  { sessions }: SessionTables,
  userId: string,
  which: SQL | undefined,
  now: Date,
): Promise<{ id: string }[]> {
  return tx
    .update(sessions)
    .set({ revokedAt: now })
    .where(and(eq(sessions.userId, userId), which, isNull(sessions.revokedAt)))
    .returning({ id: sessions.id });
}

const auditEnd = (
  deps: SessionDeps,
  tx: Query,
  userId: string,
  now: Date,
  entry: { subject: string; detail?: Record<string, unknown> },
): Promise<void> =>
  writeAudit(deps, tx, now, { ownerId: null, actor: `user:${userId}`, action: "session.end", ...entry });
