import { and, asc, desc, gt, lt, lte, sql } from "drizzle-orm";
import type {
  ConversationArchive,
  RunFence,
  SessionKey,
  Turn,
} from "../../../../../engine/memory/conversation.ts";
import { batches } from "../../../../../kit/batches.ts";
import { countSteps } from "../../../../../kit/concurrency/others-turn.ts";
import type { NewId } from "../../../../../kit/id.ts";
import { statement } from "../../../../../storage/statement.ts";
import type { Query, ReadQuery, Storage } from "../../../../../storage/storage.ts";
import type { MemoryTables } from "../../conversations/schema.ts";
import { storableTurn } from "../storable-turn.ts";
import { sqlEnds } from "./sql-ends.ts";
import { ofSession, sqlSessions } from "./sql-sessions.ts";
import { sqlSummaries } from "./sql-summaries.ts";

/** Storing 4 MiB takes 20 ms. */
const stepsPerCharacter = 0.2;

/** The session's row admits one writer at a time, and each statement sees earlier commits. */
export const oneBySession = { isolation: "read committed" } as const;

/** Refuses the writes of a run that another process continues. */
export type RequireOwnRun = (tx: Query, fence: RunFence) => Promise<void>;

/**
 * Conversational memory in a database. A run costs one prepared read, and two prepared writes in one transaction. `requireOwn` is absent for
 * a database that doesn't have the runs.
 */
export function conversationStore(
  storage: Storage<MemoryTables>,
  newId: NewId,
  requireOwn?: RequireOwnRun,
): ConversationArchive {
  const { read, tables } = storage;
  return {
    async recent(key, limit) {
      const newestFirst = await recentTurns(read, tables).execute({ ...key, limit });
      return newestFirst.reverse();
    },

    async append(key, turns, ttlMs, fence) {
      const [first] = turns;
      const last = turns.at(-1);
      if (first === undefined || last === undefined) return;
      const life = newId();
      await storage.transact(async (tx) => {
        if (fence !== undefined) await requireOwn?.(tx, fence);
        if (ttlMs !== undefined) {
          const before = new Date(first.at.getTime() - ttlMs);
          const over = await forgetWhenOver(tx, tables).execute({ ...key, before });
          if (over.length > 0) await removeTurns(tx, tables).execute({ ...key });
        }
        const tokens = turns.reduce((sum, { tokenCount }) => sum + tokenCount, 0);
        const [session] = await countTurns(tx, tables).execute({
          ...key,
          life,
          count: turns.length,
          tokens,
          firstAt: first.at,
          lastAt: last.at,
        });
        let seq = (session?.lastSeq ?? turns.length) - turns.length;
        // Writing long turns takes time, so that fewer commits go together.
        countSteps(turns.reduce((sum, { content }) => sum + content.length, 0) * stepsPerCharacter);
        for (const some of batches(turns, insertMax)) {
          await inserts[some.length - 1]?.(tx, tables).execute(parametersOf(key, some, seq));
          seq += some.length;
        }
      }, oneBySession);
    },

    async clear(key) {
      const removed = await storage.transact(async (tx) => {
        const sessions = await removeSession(tx, tables).execute({ ...key });
        // Turns that appear now belong to a later append.
        return sessions.length === 0 ? [] : removeTurns(tx, tables).execute({ ...key });
      }, oneBySession);
      return removed.length;
    },

    async page(key, { limit, before }) {
      const turns = await turnsBefore(read, tables).execute({
        ...key,
        limit,
        before: before ?? Number.MAX_SAFE_INTEGER,
      });
      return turns.reverse();
    },

    ...sqlSessions(storage),
    ...sqlEnds(storage),
    summaries: sqlSummaries(storage, (key, after, limit) =>
      turnsAfter(read, tables).execute({ ...key, after, limit }),
    ),
  };
}

const recentTurns = statement((query: ReadQuery, tables: MemoryTables) => {
  const { role, content, at, tokenCount, metadata, seq } = tables.turns;
  return query
    .select({ role, content, at, tokenCount, metadata })
    .from(tables.turns)
    .where(ofSession(tables.turns))
    .orderBy(desc(seq))
    .limit(sql.placeholder("limit"))
    .prepare("recent_turns");
});

const numbered = ({ turns: { seq, role, content, at, tokenCount, metadata } }: MemoryTables) => ({
  seq,
  role,
  content,
  at,
  tokenCount,
  metadata,
});

const turnsBefore = statement((query: ReadQuery, tables: MemoryTables) =>
  query
    .select(numbered(tables))
    .from(tables.turns)
    .where(and(ofSession(tables.turns), lt(tables.turns.seq, sql.placeholder("before"))))
    .orderBy(desc(tables.turns.seq))
    .limit(sql.placeholder("limit"))
    .prepare("turns_before"),
);

const turnsAfter = statement((query: ReadQuery, tables: MemoryTables) =>
  query
    .select(numbered(tables))
    .from(tables.turns)
    .where(and(ofSession(tables.turns), gt(tables.turns.seq, sql.placeholder("after"))))
    .orderBy(asc(tables.turns.seq))
    .limit(sql.placeholder("limit"))
    .prepare("turns_after"),
);

const removeTurns = statement((tx: Query, tables: MemoryTables) =>
  tx
    .delete(tables.turns)
    .where(ofSession(tables.turns))
    .returning({ seq: tables.turns.seq })
    .prepare("remove_turns"),
);

const removeSession = statement((tx: Query, tables: MemoryTables) =>
  tx
    .delete(tables.sessions)
    .where(ofSession(tables.sessions))
    .returning({ life: tables.sessions.life })
    .prepare("remove_session"),
);

/** Drizzle does not encode a placeholder in a comparison by itself. */
const before = ({ sessions }: MemoryTables) => sql.param(sql.placeholder("before"), sessions.lastAt);

const forgetWhenOver = statement((tx: Query, tables: MemoryTables) =>
  tx
    .delete(tables.sessions)
    .where(and(ofSession(tables.sessions), lte(tables.sessions.lastAt, before(tables))))
    .returning({ life: tables.sessions.life })
    .prepare("forget_session_when_over"),
);

/** Counts the turns about to be added and returns the position of the last one. */
const countTurns = statement((tx: Query, tables: MemoryTables) => {
  const { sessions } = tables;
  return tx
    .insert(sessions)
    .values({
      tenant: sql.placeholder("tenant"),
      agent: sql.placeholder("agent"),
      sessionId: sql.placeholder("sessionId"),
      life: sql.placeholder("life"),
      lastSeq: sql.placeholder("count"),
      turns: sql.placeholder("count"),
      tokens: sql.placeholder("tokens"),
      firstAt: sql.placeholder("firstAt"),
      lastAt: sql.placeholder("lastAt"),
      summaryUpTo: 0,
    })
    .onConflictDoUpdate({
      target: [sessions.tenant, sessions.agent, sessions.sessionId],
      set: {
        lastSeq: sql`${sessions.lastSeq} + excluded.last_seq`,
        turns: sql`${sessions.turns} + excluded.turns`,
        tokens: sql`${sessions.tokens} + excluded.tokens`,
        lastAt: sql`excluded.last_at`,
      },
    })
    .returning({ lastSeq: sessions.lastSeq })
    .prepare("count_turns");
});

/** Maximum number of turns in one insert. Each number up to this has its own prepared statement; a run appends two turns. */
const insertMax = 16;

const inserts = Array.from({ length: insertMax }, (_, index) =>
  statement((tx: Query, tables: MemoryTables) =>
    tx
      .insert(tables.turns)
      .values(placeholderRows(index + 1))
      .prepare(`append_${index + 1}_turns`),
  ),
);

function placeholderRows(count: number) {
  return Array.from({ length: count }, (_, row) => ({
    tenant: sql.placeholder("tenant"),
    agent: sql.placeholder("agent"),
    sessionId: sql.placeholder("sessionId"),
    seq: sql.placeholder(`seq${row}`),
    role: sql.placeholder(`role${row}`),
    content: sql.placeholder(`content${row}`),
    at: sql.placeholder(`at${row}`),
    tokenCount: sql.placeholder(`tokenCount${row}`),
    metadata: sql.placeholder(`metadata${row}`),
  }));
}

function parametersOf(key: SessionKey, turns: readonly Turn[], lastSeq: number): Record<string, unknown> {
  const parameters: Record<string, unknown> = { ...key };
  for (const [row, turn] of turns.map(storableTurn).entries()) {
    parameters[`seq${row}`] = lastSeq + row + 1;
    parameters[`role${row}`] = turn.role;
    parameters[`content${row}`] = turn.content;
    parameters[`at${row}`] = turn.at;
    parameters[`tokenCount${row}`] = turn.tokenCount;
    parameters[`metadata${row}`] = turn.metadata;
  }
  return parameters;
}
