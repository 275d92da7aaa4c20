import { expect, test } from "bun:test";
import { onEachEngine } from "../../support/storage-engines.ts";
import { fuzzedRoutes, fuzzRoute } from "./request-fuzz.ts";

/** Number of mutated requests per route, the same in every run; the campaign sends more and others. */
const requestsEach = { sqlite: 40, postgres: 10 };

onEachEngine("mutated requests", (engine) => {
  test.each(fuzzedRoutes)("%s answers each with a status that it documents", async (route) => {
    const runs = requestsEach[engine.dialect];
    const seen = await fuzzRoute(engine, route, { runs, seed: 20_260_310 });
    // Mutations that are all refused at the first check would prove nothing.
    const answered = [...seen.keys()].filter((status) => status < 300);
    expect(
      answered.length + (route.startsWith("POST /auth/") || route.includes("/stream") ? 1 : 0),
    ).toBeGreaterThan(0);
  });
});
