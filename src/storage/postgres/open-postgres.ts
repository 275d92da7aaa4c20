import type { SQL } from "bun";
import { sql } from "drizzle-orm";
import { BunSQLSession } from "drizzle-orm/bun-sql";
import { PgDatabase, PgDialect } from "drizzle-orm/pg-core";
import { AppError } from "../../kit/app-error.ts";
import { systemClock } from "../../kit/clock.ts";
import {
  type PostgresConnection,
  PostgresPool,
  requestStatementMs,
} from "../../kit/postgres/postgres-pool.ts";
import { PostgresServers } from "../../kit/postgres/postgres-servers.ts";
import { retry } from "../../kit/retry.ts";
import { databaseError } from "../database-error.ts";
import { noReserve } from "../files/disk-reserve.ts";
import {
  type Query,
  type ReadQuery,
  type Storage,
  type StorageOptions,
  type TransactOptions,
  writeCheck,
} from "../storage.ts";
import { refuseUnstorableText } from "../tables/column-values.ts";
import { ownTables } from "../tables/own-tables.ts";
import { newScope, refuseInsideTransaction, TransactionScopes } from "../transaction-scope.ts";
import { connectionsMax } from "./connections-max.ts";
import { migratePostgres } from "./migrate-postgres.ts";
import { postgresColumns } from "./postgres-columns.ts";

/** Connections of a service of one process, each opened when it is needed. PostgreSQL's default is 100 in total. */
const readersMax = 4;
const writersMax = connectionsMax - readersMax;

/** Limit for the attempts of a transaction that the server refused because of others. */
const attemptsMax = 12;
const conflictDelaysMs = [1, 2, 4, 8, 16, 32, 64];

/**
 * Opens the service's schema and migrates it. Transactions are serializable by default: code that is correct on SQLite, where each runs
 * alone, is correct here without explicit locks. Transactions that PostgreSQL refuses for that reason run again.
 */
export async function openPostgres<Tables>(
  options: StorageOptions<Tables>,
  url: string,
): Promise<Storage<Tables>> {
  const { service, clock, random, statementMs = requestStatementMs, onConflict } = options;
  const log = options.log.with({ service });
  // The storage may live by a test's clock; the server's answers come in real time.
  const servers = options.servers ?? new PostgresServers(systemClock);
  const connect = (max: number, readOnly: boolean) =>
    new PostgresPool({
      server: servers.serverOf(url),
      clock: systemClock,
      max,
      statementMs,
      name: `argosy ${service}`,
      readOnly,
    });
  const writer = connect(writersMax, false);
  const reader = connect(readersMax, true);
  const close = async () => {
    await Promise.all([writer.close(), reader.close()]);
    if (options.servers === undefined) servers.close();
  };
  try {
    await migratePostgres(writer, service, options.migrations.postgres);
  } catch (thrown) {
    await close();
    throw databaseError(thrown);
  }

  const columns = postgresColumns(service);
  const tables = { ...options.tables(columns), ...ownTables(columns) };
  const scopes = new TransactionScopes<PostgresConnection>(clock, log);
  let closed = false;
  const refuseClosed = () => {
    if (closed) throw new AppError("unavailable", "storage_closed", `The ${service} storage is closed.`);
  };

  const read = routedHandle<ReadQuery>({
    async use(ask) {
      refuseInsideTransaction("A read outside the transaction was tried");
      refuseClosed();
      return reader.read(ask);
    },
    fault: databaseError,
  });
  const tx = routedHandle<Query>({
    use: async (ask) => ask(scopes.connection()),
    fault: (thrown) => scopes.fail(thrown),
  });

  /** Runs one attempt. If a statement had a conflict, the attempt throws it, even if the code inside swallowed it. */
  async function attempt<Result>(
    run: (tx: Query) => Promise<Result>,
    { isolation = "serializable", urgent = false }: TransactOptions,
  ): Promise<Result> {
    refuseClosed();
    const scope = newScope();
    try {
      return await writer.transact(
        `isolation level ${isolation}`,
        (connection) => scopes.run(scope, connection, () => run(tx)),
        { urgent },
      );
    } catch (thrown) {
      const error = databaseError(isConflict(scope.failure) ? scope.failure : thrown);
      if (isConflict(error)) onConflict?.();
      throw error;
    } finally {
      // A lost connection ends the transaction while its code still runs.
      scope.open = false;
    }
  }

  const storage: Storage<Tables> = {
    dialect: "postgres",
    tables,
    read,
    disk: noReserve,
    async transact(run, how = {}) {
      refuseInsideTransaction("A second transaction was begun");
      const again = {
        attempts: attemptsMax,
        delaysMs: conflictDelaysMs,
        clock,
        random,
        shouldRetry: isConflict,
      };
      return retry(() => attempt(run, how), again);
    },
    instant: (offsetMs = 0) => sql`${now} + make_interval(secs => ${offsetMs / 1000})`,
    check: () => writeCheck(storage),
    async close() {
      if (closed) return;
      closed = true;
      await close();
    },
  };
  return storage;
}

/** The current time to the millisecond, as columns keep it. Columns round, and an instant stored now must not be in the future. */
const now = sql`date_trunc('milliseconds', statement_timestamp())`;

const isConflict = (error: unknown) => error instanceof AppError && error.code === "transaction_conflict";

/** How one storage handle reaches the server. */
export interface Route {
  /** Lets `ask` use the connection for the next statement; throws if none may be used. */
  use: <T>(ask: (connection: PostgresConnection) => Promise<T>) => Promise<T>;
  /** Returns the error to throw for a statement's fault. */
  fault: (thrown: unknown) => Error;
}

type Base = BunSQLSession<SQL, Record<string, never>, Record<string, never>>;

/**
 * A session whose statements get their connection when they run, so that a statement prepared once serves every transaction. Drizzle's own
 * errors contain the statement and its parameters, so the session replaces them.
 */
class RoutedSession extends BunSQLSession<SQL, Record<string, never>, Record<string, never>> {
  readonly #fault: Route["fault"];

  constructor({ use, fault }: Route, dialect: PgDialect) {
    // Drizzle awaits the query itself for rows as objects, or `values()` for rows as lists.
    const unsafe = (text: string, parameters: unknown[]) => {
      refuseUnstorableText(parameters);
      const rows = () => use((connection) => connection.unsafe(text, parameters));
      return {
        // biome-ignore lint/suspicious/noThenProperty: the driver's query is one, and begins when it is awaited.
        then: (...react: Parameters<Promise<unknown>["then"]>) => rows().then(...react),
        values: () => use((connection) => connection.rows(text, parameters)),
      };
    };
    super({ unsafe } as unknown as SQL, dialect, undefined);
    this.#fault = fault;
  }

  override prepareQuery: Base["prepareQuery"] = (...query) => {
    const prepared = super.prepareQuery(...query);
    const execute = prepared.execute.bind(prepared);
    prepared.execute = (values) =>
      execute(values).catch((thrown: unknown) => {
        throw this.#fault(thrown);
      });
    return prepared;
  };
}

/** Returns a drizzle handle over `route`. */
export function routedHandle<Handle>(route: Route): Handle {
  const dialect = new PgDialect();
  return new PgDatabase(dialect, new RoutedSession(route, dialect), undefined) as unknown as Handle;
}
