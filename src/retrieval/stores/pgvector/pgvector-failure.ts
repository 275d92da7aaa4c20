import { NoAnswer } from "../../../kit/outages/server-watch.ts";
import { UnconfirmedCommit } from "../../../kit/postgres/postgres-pool.ts";
import { StoreOutage, storeUnavailable } from "../store-failure.ts";

/** The database's error without statement, parameters or values, so that it may be logged. */
class PostgresFault extends Error {
  override readonly name = "PostgresFault";
}

/** The SQLSTATE, or the driver's own code. */
export function postgresCode(thrown: unknown): string | undefined {
  if (!(thrown instanceof Bun.SQL.PostgresError)) return undefined;
  return String(thrown.errno ?? thrown.code);
}

const connectionLost = /^(08|57P0[1-5]|ERR_POSTGRES_(CONNECTION|IDLE|LIFETIME))/;
/** 23503: the collection was dropped concurrently. */
const conflicts = /^(40001|40P01|23503)/;

/** Returns true if repeating the whole work may succeed. */
export function mayPass(thrown: unknown): boolean {
  // Writes of vectors may be repeated.
  if (thrown instanceof UnconfirmedCommit) return mayPass(thrown.cause);
  const code = postgresCode(thrown) ?? "";
  return connectionLost.test(code) || conflicts.test(code) || /^53(000|300)/.test(code);
}

const noAnswer =
  "The PostgreSQL server that holds the vectors does not answer; see what keeps it busy, or restart it.";

/** Converts an error of a query or a connection to AppError `vectors_unavailable`; returns errors of other sources unchanged. */
export function postgresFailure(thrown: unknown): unknown {
  if (thrown instanceof NoAnswer) return storeUnavailable(noAnswer, thrown);
  if (thrown instanceof UnconfirmedCommit) return postgresFailure(thrown.cause);
  const code = postgresCode(thrown);
  if (code === undefined) return thrown;
  const routine = thrown instanceof Bun.SQL.PostgresError ? (thrown.routine ?? "") : "";
  const fault = new PostgresFault(`${code} ${routine}`.trim());
  return connectionLost.test(code)
    ? new StoreOutage(meaningOf(code), fault)
    : storeUnavailable(meaningOf(code), fault);
}

/** https://www.postgresql.org/docs/current/errcodes-appendix.html; ERR_POSTGRES_… are the driver's own codes. */
function meaningOf(code: string): string {
  const row = meanings.find(([pattern]) => pattern.test(code));
  return row?.[1] ?? `PostgreSQL refused to store or find vectors (${code}); its log says more.`;
}

const meanings: readonly [RegExp, string][] = [
  [
    connectionLost,
    "The PostgreSQL server that holds the vectors can't be reached. See that it runs and accepts connections, and that the connection string has its address.",
  ],
  [
    /^ERR_POSTGRES_TLS/,
    "The encrypted connection to the PostgreSQL server that holds the vectors failed; check the `sslmode` of its connection string.",
  ],
  [
    /^(28|3D|ERR_POSTGRES_(PASSWORD|AUTHENTICATION|UNSUPPORTED_AUTH|UNKNOWN_AUTH|INVALID_SERVER))/,
    "The PostgreSQL server refused the login, or has no such database; check the connection string of the vector store (`dsn`, or DATABASE_URL).",
  ],
  [
    /^42501/,
    "The PostgreSQL user of the vector store may not create or write what it needs; grant it CREATE on the database, or all on the schema argosy_vectors.",
  ],
  [
    /^25006/,
    "The PostgreSQL server that holds the vectors is read-only; point the connection string at its primary.",
  ],
  [/^53/, "The PostgreSQL server that holds the vectors has no room, memory or connections left."],
  [
    /^57014/,
    "PostgreSQL took too long over vectors and was stopped; try again, or give it an index (the server makes one in the background).",
  ],
  [conflicts, "Too many changes to the same vectors at once; try again."],
];
