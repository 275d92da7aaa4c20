import { describe, expect, test } from "bun:test";
import { creditCapCampaign, rateCampaign } from "../../../../support/campaign/credit-cap.ts";
import { livesCampaign } from "../../../../support/campaign/lives.ts";
import { postgresMissing, postgresServer } from "../../../../support/postgres.ts";

/** The small sizes; `scripts/bench/campaign` has the full ones. */
const sizes = { seeds: 25, parallel: 40, kills: { sqlite: 8, postgres: 5 }, runsBetween: 6 };

const engines = [
  { engine: "sqlite" as const, missing: undefined, database: async () => undefined },
  {
    engine: "postgres" as const,
    missing: postgresMissing,
    database: async () => (await postgresServer()).createDatabase(),
  },
];

for (const { engine, missing, database } of engines) {
  const reason = missing === undefined ? "" : ` (${missing})`;
  describe.skipIf(missing !== undefined)(`campaigns on ${engine}${reason}`, () => {
    test("charged and held never pass a cap, and what fits is not refused", async () => {
      const { seeds, parallel } = sizes;
      const figures = await creditCapCampaign({ seeds, parallel }, await database());
      expect(figures.faults).toEqual([]);
      expect(figures.refused).toBeGreaterThan(0);
      expect(figures.admitted).toBeGreaterThan(0);
    });

    test("of 1,200 calls at once on a limit of 1,000 exactly 1,000 begin", async () => {
      expect(await rateCampaign({ calls: 1200, maxRpm: 1000 }, await database())).toBe(1000);
    });

    test("killed again and again: every run ends once, nothing stays held, what was cancelled costs nothing", async () => {
      const { runsBetween } = sizes;
      const figures = await livesCampaign({ kills: sizes.kills[engine], runsBetween }, await database());
      expect(figures.faults).toEqual([]);
      expect(figures.interrupted).toBeGreaterThan(0);
      expect(figures.cancelled).toBeGreaterThan(0);
      expect(figures.told).toBeGreaterThan(0);
    });
  });
}
