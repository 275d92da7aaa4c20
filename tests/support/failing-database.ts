import { Database } from "bun:sqlite";
import { spyOn } from "bun:test";

/** Statements of the queue of commits, which come with each transaction. */
const isOfTransactions = /^(BEGIN|COMMIT|ROLLBACK|SAVEPOINT|RELEASE|PRAGMA|SELECT total_changes)/;

/** What the statements of SQLite do while a test runs. */
export interface FailingDatabase extends Disposable {
  /** Statements begun so far, failed ones included; those that begin and end transactions don't count. */
  readonly statements: number;
  /** Lets everything after the next `after` statements fail with what `error` returns, until `heal`. */
  failAfter(after: number, error: () => Error): void;
  heal(): void;
}

/** Stands between the process and all its SQLite databases that are opened from now on. */
export function failingDatabase(): FailingDatabase {
  let statements = 0;
  let failing: { from: number; error: () => Error } | undefined;
  const begin = () => {
    if (failing !== undefined && statements >= failing.from) throw failing.error();
  };
  const { query } = Database.prototype;
  const wrapped = new WeakSet<object>();
  const querying = spyOn(Database.prototype, "query").mockImplementation(function (
    this: Database,
    text: string,
  ) {
    const statement = query.call(this, text) as unknown as Record<string, unknown>;
    if (wrapped.has(statement)) return statement as never;
    wrapped.add(statement);
    for (const name of ["run", "all", "values", "get"]) {
      const perform = statement[name] as (...parameters: unknown[]) => unknown;
      statement[name] = (...parameters: unknown[]) => {
        begin();
        if (!isOfTransactions.test(text)) statements++;
        return perform.apply(statement, parameters);
      };
    }
    return statement as never;
  } as never);
  return {
    get statements() {
      return statements;
    },
    failAfter(after, error) {
      failing = { from: statements + after, error };
    },
    heal() {
      failing = undefined;
    },
    [Symbol.dispose]() {
      querying.mockRestore();
    },
  };
}
