import type { SummaryStore } from "../../../../../engine/memory/conversation.ts";
import type { Redis } from "../../../../../storage/redis/open-redis.ts";
import { storableSummary } from "../storable-turn.ts";
import { sessionKeys } from "./keys.ts";
import { claimSession, releaseSession, saveSummary } from "./scripts.ts";

/** Running summaries of conversations on a Redis server. They are fields of the session hashes and expire with them. */
export function redisSummaries(redis: Redis, turnsAfter: SummaryStore["turnsAfter"]): SummaryStore {
  return {
    turnsAfter,

    async find(key) {
      const [, session] = sessionKeys(key);
      const fields = ["summary", "summary_tokens", "summary_up_to", "summary_at"];
      const values = (await redis.send("HMGET", [session, ...fields])) as (string | null)[];
      const [text, tokens, upTo, at] = values;
      if (text === null || text === undefined) return undefined;
      return { text, tokenCount: Number(tokens), upTo: Number(upTo), at: new Date(Number(at)) };
    },

    async progress(key) {
      const [, session] = sessionKeys(key);
      const fields = ["last_seq", "summary_up_to", "summary_tokens"];
      const values = (await redis.send("HMGET", [session, ...fields])) as (string | null)[];
      const [lastSeq, upTo, tokens] = values;
      if (lastSeq === null || lastSeq === undefined) return undefined;
      return { lastSeq: Number(lastSeq), upTo: Number(upTo ?? 0), tokenCount: Number(tokens ?? 0) };
    },

    async claim(key, now, until) {
      const args = [key.sessionId, String(now.getTime()), String(until.getTime())];
      const claimed = (await redis.run(claimSession, sessionKeys(key), args)) as string[] | null;
      if (claimed === null) return undefined;
      const [life = "", lastSeq, upTo, text = ""] = claimed;
      return { life, lastSeq: Number(lastSeq), upTo: Number(upTo), text, until };
    },

    async save(key, claim, summary) {
      const { text, tokenCount, upTo, at } = storableSummary(summary);
      const saved = await redis.run(saveSummary, sessionKeys(key), [
        key.sessionId,
        claim.life,
        String(claim.upTo),
        String(upTo),
        text,
        String(tokenCount),
        String(at.getTime()),
      ]);
      if (saved !== 1) return false;
      Object.assign(claim, { upTo, text });
      return true;
    },

    async release(key, { life, until }) {
      await redis.run(releaseSession, sessionKeys(key), [key.sessionId, life, String(until.getTime())]);
    },
  };
}
