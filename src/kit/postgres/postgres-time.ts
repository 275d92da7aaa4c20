import type { Clock } from "../clock.ts";
import type { TimeSource } from "../shared-clock.ts";
import { PostgresPool } from "./postgres-pool.ts";
import type { PostgresServers } from "./postgres-servers.ts";

export interface PostgresTime {
  ask: TimeSource;
  close(): Promise<void>;
}

/** The clock of a PostgreSQL server, over a connection of its own: the time must not wait behind other work. */
export function postgresTime(
  url: string,
  { clock, servers, statementMs }: { clock: Clock; servers: PostgresServers; statementMs: number },
): PostgresTime {
  const server = servers.serverOf(url);
  const pool = new PostgresPool({ server, clock, max: 1, statementMs, name: "argosy clock" });
  const timeQuery = "select extract(epoch from clock_timestamp()) * 1000 as ms";
  return {
    ask: () => pool.alone(async (server) => new Date(Number((await server.unsafe(timeQuery))[0].ms))),
    close: () => pool.close(),
  };
}
