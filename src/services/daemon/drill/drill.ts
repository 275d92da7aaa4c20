import { ask, type DrillWorld, neighbourAgent, watchingHealth } from "./drill-world.ts";

/** The outcome of one promise. */
export interface DrillOutcome {
  promise: string;
  held: boolean;
  measured: string;
}

/** One fault, and the promises that must hold during and after it. */
export interface Drill {
  name: string;
  /** The fault as a sentence. */
  fault: string;
  /** `everyone`: all users of the server meet the fault. */
  scope: "drill" | "everyone";
  promises: readonly string[];
  /** Returns why the fault can't be injected here; undefined if it can. */
  missing?(world: DrillWorld): string | undefined;
  /** Injects the fault and yields an outcome for each promise. It ends the fault before it returns. */
  run(world: DrillWorld): AsyncGenerator<DrillOutcome>;
}

/** Longest delay of `/healthz` during a fault. */
export const healthMaxMs = 500;
/** Longest answer of an agent that does not meet the fault. */
export const neighbourMaxMs = 2_000;

export const promises = {
  health: `/healthz answers 200 within ${healthMaxMs} ms during the fault`,
  neighbour: `another agent answers within ${neighbourMaxMs} ms during the fault`,
} as const;

export const ms = (value: number): string => `${Math.round(value)} ms`;

/** Performs `work` while another agent runs and `/healthz` is asked; yields the outcomes of both, and returns the result. */
export async function* besides<T>(
  world: DrillWorld,
  work: () => Promise<T>,
): AsyncGenerator<DrillOutcome, T> {
  const both = Promise.all([work(), ask(world, neighbourAgent)]);
  const { result, slowestMs, failures } = await watchingHealth(world, both);
  const [own, neighbour] = result;
  yield {
    promise: promises.neighbour,
    held: neighbour.status === 200 && neighbour.tookMs <= neighbourMaxMs,
    measured: `${neighbour.status} after ${ms(neighbour.tookMs)}`,
  };
  yield {
    promise: promises.health,
    held: failures === 0 && slowestMs <= healthMaxMs,
    measured: `slowest ${ms(slowestMs)}, ${failures} failures`,
  };
  return own;
}
