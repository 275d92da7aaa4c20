import { type Clock, sleep } from "../kit/clock.ts";
import { roundMaxMs, type Worker } from "../kit/worker.ts";
import { underLease, whileLeased } from "./lease.ts";
import type { Storage } from "./storage.ts";

/*
 * Work that one process at a time does. A SQLite database has one process only, so a lease there could only be that of a dead process.
 */

export interface AloneDeps {
  storage: Storage;
  clock: Clock;
  /** Id of this process, new at each start. */
  owner: string;
}

/** With the wait of a third of it, another process takes over within 12 seconds. */
const ttlMs = 9_000;

/** Creates a worker that does `work` at the start and then every `everyMs`, in one of the processes that share the database. */
export const aloneWorker = (
  name: string,
  everyMs: number,
  { storage, clock, owner }: AloneDeps,
  work: (signal: AbortSignal) => Promise<unknown>,
): Worker => ({
  name,
  silenceMaxMs: everyMs + roundMaxMs,
  async run(signal, beat) {
    const repeat = async (held: AbortSignal) => {
      while (!held.aborted) {
        await work(held);
        beat?.();
        await sleep(clock, everyMs, held).catch(() => undefined);
      }
    };
    if (storage.dialect === "sqlite") await repeat(signal);
    else
      await whileLeased(
        storage,
        { name, owner, ttlMs, clock, work: (_, held) => repeat(held), beat },
        signal,
      );
  },
});

/** Does `work` once, unless another process does it now. Returns undefined in that case. */
export async function ifAlone<Result>(
  name: string,
  { storage, clock, owner }: AloneDeps,
  work: (signal: AbortSignal) => Promise<Result>,
  signal: AbortSignal,
): Promise<{ result: Result } | undefined> {
  if (storage.dialect === "sqlite") return { result: await work(signal) };
  return underLease(storage, { name, owner, ttlMs, clock }, (_, held) => work(held), signal);
}

/** Does `work` once, as soon as no other process does it. Returns undefined if the signal aborts before. */
export async function whenAlone<Result>(
  name: string,
  deps: AloneDeps,
  work: (signal: AbortSignal) => Promise<Result>,
  signal: AbortSignal,
): Promise<Result | undefined> {
  while (!signal.aborted) {
    const done = await ifAlone(name, deps, work, signal);
    if (done !== undefined) return done.result;
    await sleep(deps.clock, ttlMs / 3, signal).catch(() => undefined);
  }
  return undefined;
}
