import { expect } from "bun:test";
import { killDurable } from "../support/campaign/durable-kills.ts";
import { executableTest } from "../support/executable.ts";
import { postgresMissing } from "../support/postgres.ts";

executableTest(
  "runs that callers of three daemons began, which are killed in turn, end with one answer and one payment, or name the tool of unknown outcome",
  async () => {
    const { faults, outcomes, continued } = await killDurable({
      kills: 3,
      everyMs: 6_000,
      through: "daemon",
    });
    expect(faults).toEqual([]);
    expect(outcomes.get("answered")).toBeGreaterThan(0);
    expect(continued).toBeGreaterThan(0);
  },
  postgresMissing,
);

executableTest(
  "runs of three nodes that are killed in turn end with one answer, one payment and one charge, or name the tool of unknown outcome",
  async () => {
    const { faults, outcomes, continued } = await killDurable({
      kills: 3,
      everyMs: 6_000,
      through: "platform",
    });
    expect(faults).toEqual([]);
    expect(outcomes.get("answered")).toBeGreaterThan(0);
    expect(continued).toBeGreaterThan(0);
  },
  postgresMissing,
);
