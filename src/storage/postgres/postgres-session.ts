import type { SQL } from "bun";
import { BunSQLSession } from "drizzle-orm/bun-sql";
import { PgDatabase, PgDialect } from "drizzle-orm/pg-core";
import type { PostgresConnection } from "../../kit/postgres/postgres-pool.ts";
import { refuseUnstorableText } from "../tables/column-values.ts";

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
