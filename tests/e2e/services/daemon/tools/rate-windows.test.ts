import { expect, test } from "bun:test";
import { systemClock } from "../../../../../src/kit/clock.ts";
import { newId } from "../../../../../src/kit/id.ts";
import { silentLogger } from "../../../../../src/kit/log.ts";
import { RateWindows } from "../../../../../src/services/daemon/tools/rate-windows.ts";
import { openRedis } from "../../../../../src/storage/redis/open-redis.ts";
import { redisMissing, redisServer } from "../../../../support/redis.ts";

test.skipIf(redisMissing !== undefined)(
  `with Redis, of calls at the same time on three nodes exactly as many as the limit are admitted${redisMissing === undefined ? "" : ` (${redisMissing})`}`,
  async () => {
    const url = (await redisServer()).createDatabase();
    const connections = [1, 2, 3].map(() => openRedis(url, systemClock));
    const nodes = connections.map(
      (redis) =>
        new RateWindows({ storage: undefined as never, redis, clock: systemClock, newId, log: silentLogger }),
    );
    const rule = { callsMax: 7, windowMs: 3_600_000 };
    const asked = Array.from({ length: 60 }, (_, at) => nodes[at % 3]?.admit("scope", rule));
    const waits = await Promise.all(asked);
    expect(waits.filter((wait) => wait === undefined)).toHaveLength(7);
    for (const wait of waits) if (wait !== undefined) expect(wait).toBeGreaterThan(3_500_000);
    expect(await nodes[0]?.admit("other", rule)).toBeUndefined();
    for (const redis of connections) redis.close();
  },
);
