import type { Database } from "bun:sqlite";
import { refuseUnstorableText } from "../column-values.ts";

/** Runs one step of a statement where its rules allow it, and names its fault. */
export type Guard = <Result>(step: () => Result) => Result;

type Parameters = unknown[];

/**
 * The part of a bun:sqlite Database that drizzle's session uses, with each statement's step under `guard`.
 * `query` keeps statements prepared, where `prepare`, which drizzle calls, would compile each again.
 */
export function guardedClient(database: Database, guard: Guard): Database {
  const prepare = (text: string) => {
    const statement = guard(() => database.query<unknown, never[]>(steady(text)));
    const step =
      <Result>(perform: (...parameters: never[]) => Result) =>
      (...parameters: Parameters) =>
        guard(() => {
          refuseUnstorableText(parameters);
          return perform.apply(statement, parameters as never[]);
        });
    return {
      run: step(statement.run),
      all: step(statement.all),
      values: step(statement.values),
    };
  };
  return { prepare } as unknown as Database;
}

/** SQLite compiles a statement anew each time it is executed when its plan may hang on a bound LIMIT; on a sum it can't. */
const steady = (text: string) => text.replaceAll(" limit ?", " limit +?");
