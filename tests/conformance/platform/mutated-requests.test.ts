import { afterAll, expect, test } from "bun:test";
import { onEachEngine } from "../../support/storage-engines.ts";
import { fuzzedRoutes, fuzzRoute, startUnlimited } from "./request-fuzz.ts";
import { SharedWorld } from "./shared-world.ts";

/** Number of mutated requests per route, the same in every run; the campaign sends more and others. */
const requestsEach = { sqlite: 40, postgres: 10 };

const reads = fuzzedRoutes.filter((route) => route.startsWith("GET "));
const writes = fuzzedRoutes.filter((route) => !route.startsWith("GET "));

onEachEngine("mutated requests", (engine) => {
  const options = { runs: requestsEach[engine.dialect], seed: 20_260_310 };
  // A mutation may turn a read into a write, but none of them removes what another read needs.
  const readers = new SharedWorld(() => startUnlimited(engine));
  afterAll(() => readers[Symbol.asyncDispose]());

  test.each(reads)("%s answers each with a status that it documents", (route) =>
    readers.lend(async (world) => requireAnswers(route, await fuzzRoute(world, route, options))),
  );

  test.each(writes)("%s answers each with a status that it documents", async (route) => {
    await using world = await startUnlimited(engine);
    requireAnswers(route, await fuzzRoute(world, route, options));
  });
});

/** Mutations that are all refused at the first check would prove nothing. */
function requireAnswers(route: string, seen: Map<number, number>): void {
  const answered = [...seen.keys()].filter((status) => status < 300);
  expect(
    answered.length + (route.startsWith("POST /auth/") || route.includes("/stream") ? 1 : 0),
  ).toBeGreaterThan(0);
}
