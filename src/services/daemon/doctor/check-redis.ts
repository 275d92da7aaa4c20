import type { DoctorCheck } from "../../../contracts/daemon/system.ts";
import { toAppError } from "../../../kit/app-error.ts";
import type { Clock } from "../../../kit/clock.ts";
import type { Logger } from "../../../kit/log.ts";
import { openRedis } from "../../../storage/redis/open-redis.ts";

const carries =
  "Redis stores conversations of agents with the backend `redis`. Rate counters, wake-ups and caches are kept in each process.";

/** The doctor's check of the server at REDIS_URL: whether it answers, and what it is used for. */
export async function checkRedis(
  redisUrl: string | undefined,
  clock: Clock,
): Promise<Omit<DoctorCheck, "name">> {
  if (redisUrl === undefined)
    return { status: "healthy", message: "REDIS_URL is not set, so Redis is not used." };
  const { host } = new URL(redisUrl);
  const redis = openRedis(redisUrl, clock);
  try {
    await redis.send("PING", []);
    return { status: "healthy", message: `Redis at ${host} responds. ${carries}` };
  } catch (thrown) {
    return {
      status: "degraded",
      message: `Redis at ${host} (REDIS_URL) can't be used: ${toAppError(thrown).message} ${carries}`,
      mend: `start the server at ${host}, or correct or remove REDIS_URL`,
    };
  } finally {
    redis.close();
  }
}

/** Logs a warning at the start if the server at REDIS_URL can't be used. The start doesn't wait for it. */
export async function announceRedis(redisUrl: string | undefined, clock: Clock, log: Logger): Promise<void> {
  if (redisUrl === undefined) return;
  const { status, message, mend } = await checkRedis(redisUrl, clock);
  if (status !== "healthy") log.warn("redis.unreachable", { message, mend });
}
