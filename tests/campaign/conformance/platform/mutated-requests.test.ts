import { afterAll, expect, test } from "bun:test";
import { addWorld, startMatrix, startMatrixPlatform } from "../../../conformance/platform/matrix-world.ts";
import { fuzzedRoutes, fuzzRoute, liftLimits } from "../../../conformance/platform/request-fuzz.ts";
import { mayOutlast } from "../../../conformance/platform/route-row.ts";
import { routeRows } from "../../../conformance/platform/route-rows.ts";
import { onEachEngine } from "../../../support/storage-engines.ts";
import { SharedUntilFailure } from "./shared-until-failure.ts";

/** Number of mutated requests per route, the same in every run; the campaign sends more and others. */
const requestsEach = { sqlite: 40, postgres: 10 };

const isRead = (route: string) => route.startsWith("GET ") && !mayOutlast({ route });

onEachEngine("mutated requests", (engine) => {
  const options = { runs: requestsEach[engine.dialect], seed: 20_260_310 };
  const title = "%s answers each with a status that it documents";
  // A mutation may turn a read into a write, but none of them removes what another read needs.
  const readers = new SharedUntilFailure(async () => liftLimits(await startMatrix(engine)));
  afterAll(() => readers[Symbol.asyncDispose]());

  test.each(fuzzedRoutes.filter(isRead))(title, (route) =>
    readers.lend(async (world) => requireAnswers(route, await fuzzRoute(world, route, options))),
  );

  const writers = new SharedUntilFailure(() => startMatrixPlatform(engine));
  afterAll(() => writers[Symbol.asyncDispose]());

  test.each(fuzzedRoutes.filter((route) => !isRead(route)))(title, (route) =>
    writers.lend(async (platform) => {
      const world = await liftLimits(await addWorld(platform));
      requireAnswers(route, await fuzzRoute(world, route, options));
    }),
  );
});

/** Mutations that are all refused at the first check would prove nothing. */
function requireAnswers(route: string, seen: Map<number, number>): void {
  const succeeds = routeRows.some((row) => row.route === route && !row.socket && row.status < 300);
  const answered = [...seen.keys()].filter((status) => status < 300);
  if (succeeds) expect(answered).not.toEqual([]);
}
