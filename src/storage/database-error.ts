import { SQLiteError } from "bun:sqlite";
import { DrizzleQueryError } from "drizzle-orm";
import { AppError, type ErrorKind } from "../kit/app-error.ts";
import { NoAnswer, noAnswerCode } from "../kit/outages/server-watch.ts";
import { isCertificateFault, isReadOnly } from "../kit/postgres/postgres-failure.ts";
import { UnconfirmedCommit } from "../kit/postgres/postgres-pool.ts";
import { OnlyStandbys } from "../kit/postgres/postgres-server.ts";
import { descriptorShortage } from "../kit/process/descriptor-shortage.ts";

/** A database error without the statement, its parameters or stored values, so that it is safe to log. */
export class DatabaseFault extends Error {
  override readonly name = "DatabaseFault";
  readonly code: string;

  constructor(code: string, about: string | undefined) {
    super(about ? `${code} (${about})` : code);
    this.code = code;
  }
}

/**
 * Converts an error of a query, a commit or a connection to an AppError. Codes: `already_exists` (a unique key), `reference_broken` (a
 * foreign key), `transaction_conflict` (run it again), `storage_unavailable`, `storage_login_refused`, `storage_damaged`, otherwise
 * `internal`.
 */
export function databaseError(thrown: unknown): AppError {
  if (thrown instanceof DrizzleQueryError) return databaseError(thrown.cause);
  if (thrown instanceof AppError) return thrown;
  const shortage = descriptorShortage(thrown);
  if (shortage !== undefined) return shortage;
  if (thrown instanceof NoAnswer)
    return rendered("storage_unavailable", new DatabaseFault(noAnswerCode, undefined));
  if (thrown instanceof OnlyStandbys)
    return rendered("storage_unavailable", new DatabaseFault("25006", thrown.message));
  if (isCertificateFault(thrown))
    return rendered("storage_unavailable", new DatabaseFault(certificateFault, thrown.code));
  if (thrown instanceof UnconfirmedCommit) return unconfirmed(databaseError(thrown.cause));
  if (thrown instanceof SQLiteError) return rendered(sqliteMeaning(thrown.code ?? ""), sqliteFault(thrown));
  if (thrown instanceof Bun.SQL.PostgresError) {
    const code = thrown.errno ?? thrown.code;
    return rendered(
      isReadOnly(thrown) ? "storage_unavailable" : postgresMeaning(String(code)),
      new DatabaseFault(String(code), thrown.constraint ?? thrown.routine),
    );
  }
  return rendered("internal", thrown);
}

/** The code of a `DatabaseFault` for a certificate that can't be verified. */
export const certificateFault = "CERTIFICATE";

/** Returns true if the database server hangs: until a background probe finds it back, every call fails at once. */
export const isHanging = (thrown: unknown): boolean =>
  thrown instanceof AppError && thrown.cause instanceof DatabaseFault && thrown.cause.code === noAnswerCode;

const meanings = {
  already_exists: ["conflict", "A record with the same key exists."],
  reference_broken: ["conflict", "The record refers to one that is missing, or is still referred to."],
  transaction_conflict: ["unavailable", "Too many changes to the same records at once; try again."],
  storage_unavailable: ["unavailable", "The storage can't be reached or written at the moment; try again."],
  storage_login_refused: [
    "unavailable",
    "The database server refused the login or has no such database; check DATABASE_URL.",
  ],
  storage_damaged: ["unavailable", "The database file is damaged; restore it from a backup."],
  internal: ["internal", "Something went wrong on our side."],
} as const satisfies Record<string, readonly [ErrorKind, string]>;

type Meaning = keyof typeof meanings;

function rendered(meaning: Meaning, cause: unknown): AppError {
  const [kind, message] = meanings[meaning];
  const passes = meaning === "storage_unavailable" || meaning === "transaction_conflict";
  return new AppError(kind, meaning, message, { cause, details: passes ? { retryAfterSeconds } : {} });
}

/** The error of a commit on a full disk. */
export const fullDisk = (): AppError =>
  rendered("storage_unavailable", new DatabaseFault("SQLITE_FULL", undefined));

/** Retry delay for the caller: the recovery of a server that hung is noticed within a second. */
const retryAfterSeconds = 1;

/** The error for a lost commit; the server may have committed before the connection was lost. */
/** Returns the error of a commit whose outcome is unknown, with the fault that hid it. */
export const unconfirmed = ({ cause }: AppError): AppError =>
  new AppError(
    "unavailable",
    "storage_unavailable",
    "The storage did not confirm the change, which may or may not have been stored; look before you repeat it.",
    { cause, details: { retryAfterSeconds } },
  );

/** https://sqlite.org/rescode.html */
function sqliteMeaning(code: string): Meaning {
  if (/^SQLITE_CONSTRAINT_(UNIQUE|PRIMARYKEY|ROWID)$/.test(code)) return "already_exists";
  if (code === "SQLITE_CONSTRAINT_FOREIGNKEY") return "reference_broken";
  if (/^SQLITE_(FULL|IOERR|BUSY|READONLY|CANTOPEN|NOMEM)(_|$)/.test(code)) return "storage_unavailable";
  if (/^SQLITE_(CORRUPT|NOTADB)(_|$)/.test(code)) return "storage_damaged";
  return "internal";
}

/** Keeps SQLite's message only for a constraint, where it names just columns; other messages can quote the statement. */
const sqliteFault = ({ code, message }: SQLiteError) =>
  new DatabaseFault(code ?? "SQLITE_ERROR", code?.startsWith("SQLITE_CONSTRAINT") ? message : undefined);

/** https://www.postgresql.org/docs/current/errcodes-appendix.html; ERR_POSTGRES_… are the driver's own. */
function postgresMeaning(code: string): Meaning {
  if (code === "23505") return "already_exists";
  if (code === "23503") return "reference_broken";
  if (code === "40001" || code === "40P01") return "transaction_conflict";
  if (/^(28|3D|42501)/.test(code)) return "storage_login_refused";
  // 57014 and 55P03: a statement or a lock took longer than the limit of the connection.
  if (/^(08|25P03|53|55P03|57014|57P|58)/.test(code)) return "storage_unavailable";
  if (/^ERR_POSTGRES_(CONNECTION|IDLE|LIFETIME|TLS)/.test(code)) return "storage_unavailable";
  return "internal";
}
