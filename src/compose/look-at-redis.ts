import type { DoctorCheck } from "../contracts/daemon/system.ts";
import { toAppError } from "../kit/app-error.ts";
import type { Clock } from "../kit/clock.ts";

/** Asks the server of REDIS_URL, whether or not an agent keeps its conversations there. */
export async function lookAtRedis(url: string | undefined, clock: Clock): Promise<Omit<DoctorCheck, "name">> {
  if (url === undefined) return { status: "healthy", message: "REDIS_URL is not set; nothing needs it." };
  const { openRedis } = await import("../storage/redis/open-redis.ts");
  const redis = openRedis(url, clock);
  try {
    await redis.send("PING", []);
    return {
      status: "healthy",
      message:
        "Redis answers. It keeps the conversations of agents that declare it; rate counters, wake-ups and the shared cache do not use it in this version.",
    };
  } catch (thrown) {
    return {
      status: "failing",
      message: `The server of REDIS_URL can't be used: ${toAppError(thrown).message}`,
      mend: "start Redis, or correct REDIS_URL",
    };
  } finally {
    redis.close();
  }
}
