import { type Clock, systemClock } from "../kit/clock.ts";
import { requestStatementMs } from "../kit/postgres/postgres-pool.ts";
import type { PostgresServers } from "../kit/postgres/postgres-servers.ts";
import { postgresTime } from "../kit/postgres/postgres-time.ts";
import { clockFault, SharedClock } from "../kit/shared-clock.ts";
import { repeatedWorker, type Worker } from "../kit/worker.ts";
import { databaseError } from "../storage/database-error.ts";
import type { Config } from "./settings/config.ts";

/** The clock that all services of a process live by. */
export interface ProcessClock {
  clock: Clock;
  /** How far this machine's clock is ahead of a shared database's; undefined without one. */
  offMs(): number | undefined;
  /** A warning for the operator about this machine's clock; undefined if it is right. */
  fault(): string | undefined;
  workers: readonly Worker[];
  close(): Promise<void>;
}

const measureEveryMs = 5_000;

/**
 * Opens the clock of this process: that of a shared database, or the machine's. With the database's, whatever a process
 * stores and compares (claims, leases, rate windows, periods, expiry of keys and tokens) means the same to all processes.
 */
export async function openProcessClock(
  { databaseUrl }: Pick<Config, "databaseUrl">,
  servers: PostgresServers,
  machine: Clock,
): Promise<ProcessClock> {
  if (databaseUrl === undefined)
    return {
      clock: machine,
      offMs: () => undefined,
      fault: () => undefined,
      workers: [],
      async close() {},
    };
  const time = postgresTime(databaseUrl, { clock: systemClock, servers, statementMs: requestStatementMs });
  const clock = new SharedClock(machine, async () => {
    try {
      return await time.ask();
    } catch (thrown) {
      throw databaseError(thrown);
    }
  });
  try {
    await clock.start();
  } catch (thrown) {
    await time.close();
    throw thrown;
  }
  return {
    clock,
    offMs: () => clock.offMs,
    fault: () => clockFault(clock.offMs),
    workers: [
      repeatedWorker("database-clock", measureEveryMs, clock, () => clock.measure(), {
        afterMs: measureEveryMs,
      }),
    ],
    close: () => time.close(),
  };
}
