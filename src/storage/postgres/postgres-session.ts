import type { SQL } from "bun";
import { BunSQLSession } from "drizzle-orm/bun-sql";
import { PgDatabase, PgDialect } from "drizzle-orm/pg-core";
import { refuseUnstorableText } from "../column-values.ts";

/** How one storage handle reaches the server. */
export interface Route {
  /** The connection for the next statement; throws where none may be used. */
  connection: () => SQL;
  /** The error to throw for a statement's fault. */
  fault: (thrown: unknown) => Error;
}

type Base = BunSQLSession<SQL, Record<string, never>, Record<string, never>>;

/**
 * A session whose statements ask for their connection when they run, so that a statement prepared once serves every
 * transaction. Drizzle's own errors hold the statement and its parameters: none of them gets out.
 */
class RoutedSession extends BunSQLSession<SQL, Record<string, never>, Record<string, never>> {
  readonly #fault: Route["fault"];

  constructor({ connection, fault }: Route, dialect: PgDialect) {
    const unsafe = (text: string, parameters: unknown[]) => {
      refuseUnstorableText(parameters);
      return connection().unsafe(text, parameters);
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

/** A drizzle handle over `route`. */
export function routedHandle<Handle>(route: Route): Handle {
  const dialect = new PgDialect();
  return new PgDatabase(dialect, new RoutedSession(route, dialect), undefined) as unknown as Handle;
}
