import { and, desc, eq, type SQL, sql } from "drizzle-orm";
import type { ConversationStore, SessionKey, Turn } from "../../../engine/memory/conversation.ts";
import { storableJson, storableText } from "../../../storage/column-values.ts";
import { statement } from "../../../storage/statement.ts";
import type { Query, ReadQuery, Storage } from "../../../storage/storage.ts";
import type { MemoryTables } from "./schema.ts";

/** Conversational memory in the daemon's database: a run costs one prepared read and one prepared write. */
export function conversationStore(storage: Storage<MemoryTables>): ConversationStore {
  const { read, tables } = storage;
  return {
    async recent(key, limit) {
      const newestFirst = await recentTurns(read, tables).execute({ ...key, limit });
      return newestFirst.reverse();
    },

    async append(key, turns) {
      await storage.transact(async (tx) => {
        for (let from = 0; from < turns.length; from += insertMax) {
          const some = turns.slice(from, from + insertMax);
          await inserts[some.length - 1]?.(tx, tables).execute(parametersOf(key, some));
        }
      });
    },

    async clear(key) {
      const removed = await storage.transact((tx) => removeTurns(tx, tables).execute({ ...key }));
      return removed.length;
    },
  };
}

const ofSession = ({ turns }: MemoryTables) =>
  and(
    eq(turns.tenant, sql.placeholder("tenant")),
    eq(turns.agent, sql.placeholder("agent")),
    eq(turns.sessionId, sql.placeholder("sessionId")),
  );

const recentTurns = statement((query: ReadQuery, tables: MemoryTables) => {
  const { role, content, at, tokenCount, metadata, seq } = tables.turns;
  return query
    .select({ role, content, at, tokenCount, metadata })
    .from(tables.turns)
    .where(ofSession(tables))
    .orderBy(desc(seq))
    .limit(sql.placeholder("limit"))
    .prepare("recent_turns");
});

const removeTurns = statement((tx: Query, tables: MemoryTables) =>
  tx
    .delete(tables.turns)
    .where(ofSession(tables))
    .returning({ seq: tables.turns.seq })
    .prepare("remove_turns"),
);

/** Turns in one insert; each number of turns up to this has its own prepared statement, and a run appends two. */
const insertMax = 16;

const inserts = Array.from({ length: insertMax }, (_, index) =>
  statement((tx: Query, tables: MemoryTables) =>
    tx
      .insert(tables.turns)
      .values(placeholderRows(tables, index + 1))
      .prepare(`append_${index + 1}_turns`),
  ),
);

/** Rows numbered on from the session's last position. */
function placeholderRows(tables: MemoryTables, count: number) {
  const { turns } = tables;
  const last: SQL<number> = sql`(select coalesce(max(${turns.seq}), 0) from ${turns} where ${ofSession(tables)})`;
  return Array.from({ length: count }, (_, row) => ({
    tenant: sql.placeholder("tenant"),
    agent: sql.placeholder("agent"),
    sessionId: sql.placeholder("sessionId"),
    seq: sql`${last} + ${sql.raw(String(row + 1))}`,
    role: sql.placeholder(`role${row}`),
    content: sql.placeholder(`content${row}`),
    at: sql.placeholder(`at${row}`),
    tokenCount: sql.placeholder(`tokenCount${row}`),
    metadata: sql.placeholder(`metadata${row}`),
  }));
}

/** The turn as it is kept: models and tools may say what a database can't hold. */
export function storableTurn(turn: Turn): Turn {
  return { ...turn, content: storableText(turn.content), metadata: storableJson(turn.metadata) };
}

function parametersOf(key: SessionKey, turns: readonly Turn[]): Record<string, unknown> {
  const parameters: Record<string, unknown> = { ...key };
  for (const [row, turn] of turns.map(storableTurn).entries()) {
    parameters[`role${row}`] = turn.role;
    parameters[`content${row}`] = turn.content;
    parameters[`at${row}`] = turn.at;
    parameters[`tokenCount${row}`] = turn.tokenCount;
    parameters[`metadata${row}`] = turn.metadata;
  }
  return parameters;
}
