import type { Clock } from "../../../kit/clock.ts";
import type { Logger } from "../../../kit/log.ts";
import { type MetricRegistry, metricsIn } from "../../../kit/metrics.ts";
import { repeatedWorker, type Worker } from "../../../kit/worker.ts";
import { checkRedis } from "./check-redis.ts";

const everyMs = 10_000;

/** Worker that looks after the server at REDIS_URL: shows in the metrics whether it answers, and logs each change. */
export function redisWatch(
  redisUrl: string,
  { registry, clock, log }: { registry: MetricRegistry; clock: Clock; log: Logger },
): Worker {
  const { gauge } = metricsIn(registry);
  const up = gauge("platform_redis_up", "1 if the server at REDIS_URL answered the last check, otherwise 0.");
  /** Undefined until the first check, which the start logs. */
  let wasUp: boolean | undefined;
  return repeatedWorker("redis-watch", everyMs, clock, async () => {
    const { status, message, mend } = await checkRedis(redisUrl, clock);
    const isUp = status === "healthy";
    up.set(isUp ? 1 : 0);
    if (wasUp !== undefined && isUp !== wasUp)
      log.warn(isUp ? "redis.back" : "redis.unreachable", { message, ...(mend && { mend }) });
    wasUp = isUp;
  });
}
