import { eq, lt } from "drizzle-orm";
import type { RateLimitRule, SharedWindows } from "../../../engine/tools/rate-limit.ts";
import { toAppError } from "../../../kit/app-error.ts";
import type { Clock } from "../../../kit/clock.ts";
import type { NewId } from "../../../kit/id.ts";
import type { Logger } from "../../../kit/log.ts";
import type { Redis } from "../../../storage/redis/open-redis.ts";
import { redisScript } from "../../../storage/redis/redis-script.ts";
import type { Storage } from "../../../storage/storage.ts";
import type { RateWindowTables } from "./schema.ts";

export interface RateWindowPorts {
  storage: Storage<RateWindowTables>;
  /** Counts the calls if it answers; otherwise the database does. */
  redis: Pick<Redis, "run"> | undefined;
  clock: Clock;
  newId: NewId;
  log: Logger;
}

/** Wait that a caller is told of while no store answers. */
const unknownWaitMs = 1_000;
const forgetEveryMs = 10 * 60_000;
/** After a failure of Redis, the database counts for so long. */
const avoidRedisMs = 10_000;

/** At most `ARGV[1]` calls in any `ARGV[2]` milliseconds, by the server's clock. Returns the wait, or -1 for an admitted call. */
const admission = redisScript(`
local time = redis.call("TIME")
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local window = tonumber(ARGV[2])
redis.call("ZREMRANGEBYSCORE", KEYS[1], "-inf", now - window)
if redis.call("ZCARD", KEYS[1]) >= tonumber(ARGV[1]) then
  return math.max(1, redis.call("ZRANGE", KEYS[1], 0, 0, "WITHSCORES")[2] + window - now)
end
redis.call("ZADD", KEYS[1], now, ARGV[3])
redis.call("PEXPIRE", KEYS[1], window)
return -1
`);

/** Sliding windows of tools' rate limits that all nodes of a database share, in Redis or in the database. */
export class RateWindows implements SharedWindows {
  readonly #ports: RateWindowPorts;
  #redisFromMs = Number.NEGATIVE_INFINITY;
  #forgetDueMs: number;

  constructor(ports: RateWindowPorts) {
    this.#ports = ports;
    this.#forgetDueMs = ports.clock.monotonicMs() + forgetEveryMs;
  }

  async admit(scope: string, rule: RateLimitRule): Promise<number | undefined> {
    const { redis, clock, log } = this.#ports;
    const key = new Bun.CryptoHasher("sha256").update(scope).digest("base64url");
    try {
      if (redis !== undefined && clock.monotonicMs() >= this.#redisFromMs)
        return await this.#admitInRedis(redis, key, rule);
    } catch (thrown) {
      this.#redisFromMs = clock.monotonicMs() + avoidRedisMs;
      log.warn("rate_windows.redis_failed", { code: toAppError(thrown).code });
    }
    try {
      return await this.#admitInDatabase(key, rule);
    } catch (err) {
      log.warn("rate_windows.unknown", { err });
      return unknownWaitMs;
    }
  }

  async #admitInRedis(
    redis: Pick<Redis, "run">,
    key: string,
    { callsMax, windowMs }: RateLimitRule,
  ): Promise<number | undefined> {
    const args = [String(callsMax), String(windowMs), this.#ports.newId()];
    const waitMs = Number(await redis.run(admission, [`argosy:rate:${key}`], args));
    return waitMs < 0 ? undefined : waitMs;
  }

  async #admitInDatabase(scope: string, { callsMax, windowMs }: RateLimitRule): Promise<number | undefined> {
    const { storage, clock } = this.#ports;
    const { rateWindows } = storage.tables;
    const waitMs = await storage.transact(
      async (tx) => {
        // Locks the row, so that calls of all nodes are counted one after the other.
        const [row] = await tx
          .insert(rateWindows)
          .values({ scope, calls: [], endsAt: clock.now() })
          .onConflictDoUpdate({ target: rateWindows.scope, set: { scope } })
          .returning({ calls: rateWindows.calls });
        const nowMs = clock.now().getTime();
        const calls = (row?.calls ?? []).filter((at) => at > nowMs - windowMs);
        const [oldest] = calls;
        if (oldest !== undefined && calls.length >= callsMax) return Math.max(1, oldest + windowMs - nowMs);
        const set = { calls: [...calls, nowMs], endsAt: new Date(nowMs + windowMs) };
        await tx.update(rateWindows).set(set).where(eq(rateWindows.scope, scope));
        return undefined;
      },
      { isolation: "read committed" },
    );
    await this.#forget();
    return waitMs;
  }

  async #forget(): Promise<void> {
    const { storage, clock } = this.#ports;
    if (clock.monotonicMs() < this.#forgetDueMs) return;
    this.#forgetDueMs = clock.monotonicMs() + forgetEveryMs;
    const { rateWindows } = storage.tables;
    await storage.transact((tx) => tx.delete(rateWindows).where(lt(rateWindows.endsAt, clock.now())));
  }
}
