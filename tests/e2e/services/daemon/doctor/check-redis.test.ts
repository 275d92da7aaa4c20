import { expect, test } from "bun:test";
import { systemClock } from "../../../../../src/kit/clock.ts";
import { announceRedis, checkRedis } from "../../../../../src/services/daemon/doctor/check-redis.ts";
import { recordingLogger } from "../../../../support/recording-logger.ts";
import { redisMissing, redisServer } from "../../../../support/redis.ts";

/** Returns a port of this machine without a listener. */
function closedPort(): number {
  const server = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
  const { port } = server;
  server.stop(true);
  return port;
}

test("without REDIS_URL nothing is looked for", async () => {
  const { log, logged } = recordingLogger();
  expect((await checkRedis(undefined, systemClock)).status).toBe("healthy");
  await announceRedis(undefined, systemClock, log);
  expect(logged).toEqual([]);
});

test("the doctor and the start report a server that can't be reached, without its password", async () => {
  const { log, logged } = recordingLogger();
  const url = `redis://someone:a-long-password@127.0.0.1:${closedPort()}`;
  const found = await checkRedis(url, systemClock);
  expect(found).toMatchObject({ status: "degraded", mend: expect.stringContaining("REDIS_URL") });
  expect(JSON.stringify(found)).not.toContain("a-long-password");
  await announceRedis(url, systemClock, log);
  expect(logged.map(({ level, event }) => [level, event])).toEqual([["warn", "redis.unreachable"]]);
});

test.skipIf(redisMissing !== undefined)(
  "the doctor reports a server that answers, with what it carries",
  async () => {
    const { log, logged } = recordingLogger();
    const url = (await redisServer()).createDatabase();
    expect(await checkRedis(url, systemClock)).toMatchObject({
      status: "healthy",
      message: expect.stringContaining("conversations"),
    });
    await announceRedis(url, systemClock, log);
    expect(logged).toEqual([]);
  },
);
