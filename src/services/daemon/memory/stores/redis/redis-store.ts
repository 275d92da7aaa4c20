import type {
  ConversationArchive,
  NumberedTurn,
  SessionKey,
  Turn,
} from "../../../../../engine/memory/conversation.ts";
import type { NewId } from "../../../../../kit/id.ts";
import type { Redis } from "../../../../../storage/redis/open-redis.ts";
import type { RedisScript } from "../../../../../storage/redis/redis-script.ts";
import { endedSession, endsKeptMs } from "../sql/sql-ends.ts";
import { checkedTurn } from "../storable-turn.ts";
import { endKey, sessionKeys } from "./keys.ts";
import { redisSessions } from "./redis-sessions.ts";
import { redisSummaries } from "./redis-summaries.ts";
import { appendTurns, clearSession, turnsAfter, turnsBefore } from "./scripts.ts";

/** Maximum number of turns kept for a session; the same as the longest window. */
const turnsKeptMax = 10_000;

/** Conversations on a Redis server, which deletes expired sessions itself. */
export function redisConversations(redis: Redis, newId: NewId): ConversationArchive {
  const numbered = async (script: RedisScript, key: SessionKey, args: readonly string[]) => {
    const [first, ...found] = (await redis.run(script, sessionKeys(key), [key.sessionId, ...args])) as [
      number,
      ...string[],
    ];
    return found.map((text, index): NumberedTurn => ({ ...readTurn(text), seq: first + index }));
  };
  return {
    async recent(key, limit) {
      const [turns] = sessionKeys(key);
      if (limit <= 0) return [];
      const lines = (await redis.send("LRANGE", [turns, String(-limit), "-1"])) as string[];
      return lines.map(readTurn);
    },

    async append(key, turns, ttlMs) {
      const [first] = turns;
      const last = turns.at(-1);
      if (first === undefined || last === undefined) return;
      const forgetUpTo = ttlMs === undefined ? "" : String(first.at.getTime() - ttlMs);
      await redis.run(appendTurns, sessionKeys(key), [
        key.sessionId,
        newId(),
        String(first.at.getTime()),
        String(last.at.getTime()),
        forgetUpTo,
        ttlMs === undefined ? "" : String(ttlMs),
        String(turnsKeptMax),
        ...turns.map(writeTurn),
      ]);
    },

    async clear(key) {
      return (await redis.run(clearSession, sessionKeys(key), [key.sessionId])) as number;
    },

    async endedAt(key) {
      const ends = (await redis.send("MGET", [endKey(key, endedSession(key)), endKey(key, "")])) as (
        | string
        | null
      )[];
      const last = Math.max(...ends.map((at) => Number(at ?? Number.NaN)).filter((at) => !Number.isNaN(at)));
      return Number.isFinite(last) ? new Date(last) : undefined;
    },

    async end(key, at) {
      await redis.send("SET", [
        endKey(key, endedSession(key)),
        String(at.getTime()),
        "PX",
        String(endsKeptMs),
      ]);
    },

    page: (key, { limit, before }) =>
      numbered(turnsBefore, key, [String(limit), before === undefined ? "" : String(before)]),

    ...redisSessions(redis),
    summaries: redisSummaries(redis, (key, after, limit) =>
      numbered(turnsAfter, key, [String(limit), String(after)]),
    ),
  };
}

/** Encodes a turn as one string: first its tokens, which the scripts count, then all fields. */
function writeTurn(turn: Turn): string {
  const { role, content, at, tokenCount, metadata } = checkedTurn(turn);
  return `${tokenCount}|${JSON.stringify([role, content, at.getTime(), metadata])}`;
}

function readTurn(text: string): Turn {
  const bar = text.indexOf("|");
  const [role, content, at, metadata] = JSON.parse(text.slice(bar + 1));
  return { role, content, at: new Date(at), tokenCount: Number(text.slice(0, bar)), metadata };
}
