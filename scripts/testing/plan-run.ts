import type { CampaignTenth } from "./campaign-tenth.ts";
import { filesOfPart } from "./campaign-tenth.ts";
import { type TestCommand, UsageError } from "./test-command.ts";
import { type Tier, tierOf } from "./tiers.ts";

/** Work of one call of `scripts/test`. */
export interface RunPlan {
  files: string[];
  /** Further arguments of `bun test`. */
  args: string[];
  withChecks: boolean;
  /** True if suites run on the engines inside the test's process alone, not on servers. */
  embeddedOnly: boolean;
  /** Undefined: the seed of every run. */
  seed?: number;
  /** No file starts after this time. */
  minutes?: number;
  /** Printed before the run. */
  told: string[];
  /** What is left out and how to run it; undefined if the caller chose the files. */
  notRun?: string;
}

/** Facts about the repository, each asked for only by the commands that need it. */
export interface Repository {
  /** Every test file, sorted. */
  files: readonly string[];
  /** Returns the part of the campaign tier that the commit draws. */
  tenth(): CampaignTenth;
  /** Returns the test files that reach what differs from `main`. */
  changed(): readonly string[];
  /** True if the file draws values from the seed. */
  drawsValues(file: string): boolean;
}

/** Throws a `UsageError` if the command can't be done in this repository. */
export function planRun(command: TestCommand, repository: Repository): RunPlan {
  const { files } = repository;
  const of = (...tiers: Tier[]) => files.filter((file) => tiers.includes(tierOf(file)));
  const campaign = of("campaign");
  const plan = { args: [], withChecks: false, embeddedOnly: false, told: [] };
  switch (command.runs) {
    case "usual":
      return {
        ...plan,
        files: of("first", "smoke"),
        withChecks: true,
        embeddedOnly: true,
        notRun:
          `Not run: PostgreSQL and other servers, and ${count(of("second"))} of tests/e2e (scripts/test all); ` +
          `${count(campaign)} of tests/campaign (scripts/test campaign).`,
      };
    case "all": {
      const { part, drawnBy } = command.tenth ? repository.tenth() : { part: -1, drawnBy: "" };
      const drawn = command.tenth ? filesOfPart(campaign, part) : [];
      const told = [
        `Of tests/campaign, part ${part + 1} of 10 runs too (${drawnBy}):`,
        ...drawn.map((file) => `  ${file}`),
      ];
      return {
        ...plan,
        files: [...of("first", "smoke", "second"), ...drawn],
        withChecks: true,
        told: command.tenth ? told : [],
        notRun: `Not run: ${count(campaign.slice(drawn.length))} of tests/campaign (scripts/test campaign).`,
      };
    }
    case "campaign": {
      const { seed, minutes } = command;
      // Other values make every property another test.
      const drawing = seed === undefined ? [] : of("first").filter(repository.drawsValues);
      return {
        ...plan,
        files: [...campaign, ...drawing],
        ...(seed !== undefined && {
          seed,
          told: [`Seed ${seed}: scripts/test campaign --seed ${seed} repeats this run.`],
        }),
        ...(minutes !== undefined && { minutes }),
        notRun: "Not run: the checks and the other tiers (scripts/test all).",
      };
    }
    case "changed": {
      const reached = new Set(repository.changed());
      const chosen = files.filter((file) => reached.has(file) && tierOf(file) !== "campaign");
      const others = files.filter((file) => !chosen.includes(file));
      return {
        ...plan,
        files: chosen,
        embeddedOnly: true,
        notRun: `Not run: the checks (scripts/check), and ${count(others)} that don't import what differs from main, or start a program (scripts/test, scripts/test all).`,
      };
    }
    case "chosen": {
      const { patterns, name, options } = command;
      const fits = (pattern: string) => files.filter((file) => file.includes(pattern));
      const lost = patterns.find((pattern) => fits(pattern).length === 0);
      if (lost !== undefined)
        throw new UsageError(
          `No test file has "${lost}" in its path. Test files end in .test.ts below tests/.`,
        );
      const chosen = new Set(patterns.flatMap(fits));
      return {
        ...plan,
        files: patterns.length === 0 ? [...files] : files.filter((file) => chosen.has(file)),
        args: [...(name === undefined ? [] : [`--test-name-pattern=${name}`]), ...options],
      };
    }
  }
}

const count = (files: readonly string[]) => `${files.length} ${files.length === 1 ? "file" : "files"}`;
