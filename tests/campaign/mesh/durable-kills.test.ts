import { expect } from "bun:test";
import { killDurable } from "../../support/campaign/durable-kills.ts";
import { executableTest } from "../../support/executable.ts";
import { postgresMissing } from "../../support/postgres.ts";

for (const through of ["platform", "daemon"] as const)
  executableTest(
    `runs of the ${through} survive twelve kills of three nodes under load: one answer, one payment and one charge, or the tool of unknown outcome`,
    async () => {
      const { faults, continued } = await killDurable({ kills: 12, everyMs: 5_000, through });
      expect(faults).toEqual([]);
      expect(continued).toBeGreaterThan(12);
    },
    postgresMissing,
  );
