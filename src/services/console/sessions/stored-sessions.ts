import { randomBytes } from "node:crypto";
import { asc, count, desc, eq, inArray, lte, or } from "drizzle-orm";
import { AppError } from "../../../kit/app-error.ts";
import { type Clock, sleep } from "../../../kit/clock.ts";
import { LatestMap } from "../../../kit/latest-map.ts";
import { acquireLease, releaseLease } from "../../../storage/lease.ts";
import type { Sealer } from "../../../storage/sealing/seal.ts";
import type { Query, Storage } from "../../../storage/storage.ts";
import type { ConsoleTables } from "../tables.ts";
import { digest, type Grants } from "./grants.ts";
import { type ConsoleSession, isOver, isVisitor, type SessionBook, sessionSeconds } from "./session-book.ts";

const sessionsMax = 1000;
/** The use of a session is stored again after this time. */
const usedEveryMs = 60_000;
/** An open socket asks again after this time whether its session has ended on another node. */
const lookEveryMs = 1_000;
/** Longest time for which one process may change a session alone, and another waits for it. */
const aloneMs = 15_000;
const aloneAgainMs = 100;

/** Sessions in a database that several processes share: one that begins or ends on one of them does so on all. */
export function storedSessions(storage: Storage<ConsoleTables>, sealer: Sealer, clock: Clock): SessionBook {
  const { read, transact, tables } = storage;
  const { consoleSessions: table } = tables;
  /** Sessions whose sockets may be open here, with the time of the last look and whether they were there. */
  const looks = new LatestMap<string, { atMs: number; isThere: boolean }>(10 * sessionsMax);

  const sealOf = (id: string) => ({ purpose: "console-session", tenant: "operator", name: id });
  const stored = ({ id, grants }: ConsoleSession) => ({
    sealed: sealer.seal(JSON.stringify(grants), sealOf(id)),
    visitor: isVisitor(grants),
  });

  /** Undefined if they were sealed with a key that was taken away: the person must sign in again. */
  function grantsIn(id: string, sealed: string): Grants | undefined {
    try {
      return JSON.parse(sealer.open(sealed, sealOf(id)));
    } catch {
      return undefined;
    }
  }

  async function load(id: string): Promise<ConsoleSession | undefined> {
    const [row] = await read.select().from(table).where(eq(table.id, id));
    const grants = row && grantsIn(id, row.sealed);
    const storedSession = row &&
      grants && {
        id,
        key: row.key,
        openedAtMs: row.openedAt.getTime(),
        usedAtMs: row.usedAt.getTime(),
        grants,
      };
    const session = storedSession && !isOver(storedSession, clock) ? storedSession : undefined;
    looks.set(id, { atMs: clock.monotonicMs(), isThere: session !== undefined });
    return session;
  }

  async function makeRoom(): Promise<void> {
    const before = (seconds: number) => new Date(clock.now().getTime() - seconds * 1000);
    const drop = async (tx: Query) => {
      const isOld = or(
        lte(table.usedAt, before(sessionSeconds.idle)),
        lte(table.openedAt, before(sessionSeconds.longest)),
      );
      await tx.delete(table).where(isOld);
      const [kept] = await tx.select({ sessions: count() }).from(table);
      if ((kept?.sessions ?? 0) < sessionsMax) return;
      // Visitors go before signed-in people, because visitors may be numerous.
      const [leaving] = await tx
        .select({ id: table.id })
        .from(table)
        .orderBy(desc(table.visitor), asc(table.usedAt))
        .limit(1);
      if (leaving !== undefined) await tx.delete(table).where(inArray(table.id, [leaving.id]));
    };
    // Every statement stands alone, and the bound may be passed by the number of processes.
    await transact(drop, { isolation: "read committed" });
  }

  return {
    async open(grants) {
      const id = randomBytes(32).toString("base64url");
      const key = randomBytes(32).toString("base64url");
      const now = clock.now();
      const session = {
        id: digest(id),
        key: digest(key),
        openedAtMs: now.getTime(),
        usedAtMs: now.getTime(),
        grants,
      };
      await makeRoom();
      const row = { id: session.id, key: session.key, openedAt: now, usedAt: now, ...stored(session) };
      await transact((tx) => tx.insert(table).values(row));
      return { session, id, key };
    },
    async find(id) {
      const session = await load(digest(id));
      if (session === undefined) return undefined;
      const now = clock.now();
      if (now.getTime() - session.usedAtMs >= usedEveryMs)
        await transact((tx) => tx.update(table).set({ usedAt: now }).where(eq(table.id, session.id)));
      return session;
    },
    isOpen(session) {
      const look = looks.get(session.id);
      const nowMs = clock.monotonicMs();
      if (look === undefined || nowMs - look.atMs >= lookEveryMs) {
        looks.set(session.id, { atMs: nowMs, isThere: look?.isThere ?? true });
        // While the database is away, what was known stands.
        void load(session.id).catch(() => undefined);
      }
      return look?.isThere !== false && !isOver(session, clock);
    },
    async close(session) {
      looks.set(session.id, { atMs: clock.monotonicMs(), isThere: false });
      await transact((tx) => tx.delete(table).where(eq(table.id, session.id)));
    },
    async changed(session) {
      await transact((tx) => tx.update(table).set(stored(session)).where(eq(table.id, session.id)));
    },
    async alone(session, change) {
      const owner = randomBytes(12).toString("base64url");
      const name = `session:${session.id}`;
      const startedMs = clock.monotonicMs();
      for (;;) {
        const lease = await acquireLease(storage, { name, owner, ttlMs: aloneMs });
        if (lease !== undefined) {
          try {
            const latest = await load(session.id);
            // In place: what holds the session's grants goes on with them.
            for (const kind of ["person", "member"] as const) {
              const [mine, theirs] = [session.grants[kind], latest?.grants[kind]];
              if (mine !== undefined && theirs !== undefined) Object.assign(mine, theirs);
            }
            return await change();
          } finally {
            await releaseLease(storage, lease).catch(() => undefined);
          }
        }
        if (clock.monotonicMs() - startedMs >= aloneMs) throw busy();
        await sleep(clock, aloneAgainMs);
      }
    },
    flush() {},
  };
}

const busy = () =>
  new AppError("unavailable", "session_busy", "Another process is renewing this session.", {
    details: { retryAfterSeconds: 1 },
  });
