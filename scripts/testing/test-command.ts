/** What a call of `scripts/test` runs. */
export type TestCommand =
  /** The checks, the first tier and the smoke tests. */
  | { runs: "usual" }
  /** The checks and the first two tiers; `tenth`: also a tenth of the campaign tier, drawn by the commit. */
  | { runs: "all"; tenth: boolean }
  /** The campaign tier, with a seed for everything drawn in it; no file starts after `minutes`. */
  | { runs: "campaign"; seed?: number; minutes?: number }
  /** Files of the first tier that import what differs from `main`. */
  | { runs: "changed" }
  /** The files whose path contains one of `patterns`; `name` filters by test name, `options` are those of `bun test`. */
  | { runs: "chosen"; patterns: string[]; name?: string; options: string[] };

export const usage = `scripts/test                      checks, the first tier on SQLite, smoke tests of the executable
scripts/test all [--tenth]        checks and the first two tiers on every engine; --tenth: a tenth of the campaign tier too
scripts/test campaign [--seed N|random] [--minutes N]
scripts/test --changed            files of the first tier that import what differs from main
scripts/test PATH… [-t NAME]      files whose path contains PATH, on every engine; further options are those of bun test`;

/** The caller's mistake, with a message for them. */
export class UsageError extends Error {}

const seedMax = 2 ** 31;

/** Reads the arguments of `scripts/test`. Throws with the usage if they contradict it. `draw` returns a number from 0 to 1. */
export function readTestCommand(args: readonly string[], draw: () => number = Math.random): TestCommand {
  const [first, ...rest] = args;
  if (first === undefined) return { runs: "usual" };
  if (first === "all") {
    const odd = rest.find((arg) => arg !== "--tenth");
    if (odd !== undefined) throw new UsageError(`scripts/test all has no argument ${odd}.\n\n${usage}`);
    return { runs: "all", tenth: rest.length > 0 };
  }
  if (first === "campaign") return readCampaign(rest, draw);
  if (first === "--changed") {
    if (rest.length > 0)
      throw new UsageError(`scripts/test --changed has no argument ${rest[0]}.\n\n${usage}`);
    return { runs: "changed" };
  }
  return readChosen(args);
}

function readCampaign(args: readonly string[], draw: () => number): TestCommand {
  let seed: number | undefined;
  let minutes: number | undefined;
  for (let at = 0; at < args.length; at += 2) {
    const [option, value = ""] = [args[at], args[at + 1]];
    if (option === "--seed")
      seed = value === "random" ? Math.floor(draw() * seedMax) : wholeNumber(option, value);
    else if (option === "--minutes") minutes = wholeNumber(option, value);
    else throw new UsageError(`scripts/test campaign has no argument ${option}.\n\n${usage}`);
  }
  return { runs: "campaign", ...(seed !== undefined && { seed }), ...(minutes !== undefined && { minutes }) };
}

function wholeNumber(option: string, value: string): number {
  if (!/^\d{1,10}$/.test(value) || Number(value) >= seedMax)
    throw new UsageError(`${option} must be a whole number below ${seedMax}, got "${value}".\n\n${usage}`);
  return Number(value);
}

function readChosen(args: readonly string[]): TestCommand {
  const named = args.indexOf("-t");
  const name = named === -1 ? undefined : args[named + 1];
  if (named !== -1 && name === undefined)
    throw new UsageError(`-t must be followed by a test name.\n\n${usage}`);
  const others = args.filter((_, at) => named === -1 || (at !== named && at !== named + 1));
  return {
    runs: "chosen",
    patterns: others.filter((arg) => !arg.startsWith("-")).map((arg) => arg.replace(/^\.\//, "")),
    options: others.filter((arg) => arg.startsWith("-")),
    ...(name !== undefined && { name }),
  };
}
