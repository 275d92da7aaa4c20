import type {
  AgentKey,
  ConversationArchive,
  SessionPlace,
  SessionSummary,
} from "../../../../../engine/memory/conversation.ts";
import type { Redis } from "../../../../../storage/redis/open-redis.ts";
import { indexKey, sessionKeys } from "./keys.ts";
import { dropFromIndex, forgetSession } from "./scripts.ts";

type Sessions = Pick<ConversationArchive, "sessions" | "sessionIds" | "forgetBefore">;

/** Lists and deletes the sessions of an agent on a Redis server. */
export function redisSessions(redis: Redis): Sessions {
  /** Reads a session. If it has expired, removes it from the index and returns undefined. */
  const look = async (key: AgentKey, place: SessionPlace): Promise<SessionSummary | undefined> => {
    const { sessionId } = place;
    const keys = sessionKeys({ ...key, sessionId });
    const [turns, session] = keys;
    const [length, found] = (await Promise.all([
      redis.send("LLEN", [turns]),
      redis.send("HMGET", [session, "tokens", "first_at", "last_at", "summary_up_to"]),
    ])) as [number, (string | null)[]];
    const [tokens, firstAt, lastAt, upTo] = found;
    if (lastAt === null || lastAt === undefined || length === 0) {
      await redis.run(dropFromIndex, keys, [sessionId]);
      return undefined;
    }
    return {
      sessionId,
      turns: length,
      tokens: Number(tokens),
      firstAt: new Date(Number(firstAt)),
      // Same time as in the list's order; the session may have continued since.
      lastAt: place.lastAt,
      isSummarized: Number(upTo ?? 0) > 0,
    };
  };

  return {
    async sessions(key, { limit, after, since }) {
      const summaries: SessionSummary[] = [];
      const from = since === undefined ? "-inf" : `(${since.getTime()}`;
      for (let place = after; summaries.length < limit; ) {
        const ids = await idsBehind(redis, indexKey(key), place, from, limit - summaries.length);
        if (ids.length === 0) break;
        const looked = await Promise.all(ids.map((one) => look(key, one)));
        summaries.push(...looked.filter((session) => session !== undefined));
        place = ids.at(-1);
      }
      return summaries;
    },

    async sessionIds(key, { limit, cursor = "0" }) {
      const [next, pairs] = (await redis.send("ZSCAN", [indexKey(key), cursor, "COUNT", String(limit)])) as [
        string,
        string[],
      ];
      const ids = pairs.filter((_, position) => position % 2 === 0);
      return { ids, next: next === "0" ? undefined : next };
    },

    async forgetBefore(key, before, limit) {
      const upTo = String(before.getTime());
      const sessionIds = await redis.send("ZRANGEBYSCORE", [
        indexKey(key),
        "-inf",
        upTo,
        "LIMIT",
        "0",
        String(limit),
      ]);
      const ids = sessionIds as string[];
      const gone = await Promise.all(
        ids.map((sessionId) =>
          redis.run(forgetSession, sessionKeys({ ...key, sessionId }), [sessionId, upTo]),
        ),
      );
      return ids.filter((_, position) => gone[position] === 1);
    },
  };
}

/** Returns the next sessions of the index after a position, latest first. Sessions with the same time are ordered by id, descending. */
async function idsBehind(
  redis: Redis,
  index: string,
  place: SessionPlace | undefined,
  from: string,
  limit: number,
): Promise<SessionPlace[]> {
  const scored = async (max: string, min: string, offset: number) => {
    const range = [index, max, min, "WITHSCORES", "LIMIT", String(offset), String(limit)];
    return placesOf(await redis.send("ZREVRANGEBYSCORE", range));
  };
  if (place === undefined) return scored("+inf", from, 0);
  const instant = String(place.lastAt.getTime());
  for (let offset = 0; ; offset += limit) {
    const alike = await scored(instant, instant, offset);
    const behind = alike.filter(
      ({ sessionId }) => Buffer.compare(Buffer.from(sessionId), Buffer.from(place.sessionId)) < 0,
    );
    if (behind.length > 0) return behind;
    if (alike.length < limit) return scored(`(${instant}`, from, 0);
  }
}

/** RESP3 returns pairs of member and score, RESP2 one flat list. */
function placesOf(reply: unknown): SessionPlace[] {
  const flat = (reply as (string | number | [string, number])[]).flat();
  const places: SessionPlace[] = [];
  for (let at = 0; at < flat.length; at += 2) {
    places.push({ sessionId: String(flat[at]), lastAt: new Date(Number(flat[at + 1])) });
  }
  return places;
}
