import { AppError } from "../../../kit/app-error.ts";

/** Error for a statement that is not run; the message tells the model what to do instead. */
export function sqlRefused(message: string): AppError {
  return new AppError("invalid", "sql_refused", message);
}

/** Error for a failed statement; the message tells the model what to do instead. */
export function sqlFailed(message: string, cause?: unknown): AppError {
  return new AppError("unprocessable", "sql_failed", message, cause === undefined ? {} : { cause });
}

const MESSAGE_CHARS_MAX = 300;
const QUERY_CANCELED = "57014";
const LOCK_NOT_AVAILABLE = "55P03";
/** Role, password or database are wrong: a model can't fix this and should not know details. */
const accessClasses = new Set(["28", "3D"]);
/** The statement is wrong: its syntax, names, values, cardinality, constraints, permissions or features. */
const statementClasses = new Set(["42", "22", "21", "23", "25", "0A", "2F", "44", "54", "P0"]);

/** Converts an error of a server or of the connection to a message for the model. */
export function postgresFault(thrown: unknown, tookTooLong: () => AppError): unknown {
  if (!(thrown instanceof Bun.SQL.PostgresError)) return thrown;
  const state = String(thrown.errno ?? "");
  if (state === QUERY_CANCELED || state === LOCK_NOT_AVAILABLE) return tookTooLong();
  const group = state.slice(0, 2);
  if (accessClasses.has(group)) {
    return sqlFailed("The database refused the connection; its configuration has to be corrected.", thrown);
  }
  if (statementClasses.has(group)) {
    const message = thrown.message.slice(0, MESSAGE_CHARS_MAX);
    return sqlFailed(`The database refused the statement: ${message}.`, thrown);
  }
  return sqlFailed("The database could not be reached or had to stop; try again.", thrown);
}
