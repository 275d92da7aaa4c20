import { isIP } from "node:net";
import type { SQL, TransactionSQL } from "bun";
import { AppError } from "../../../kit/app-error.ts";
import type { Clock } from "../../../kit/clock.ts";
import { untilAborted } from "../../../kit/concurrency/until-aborted.ts";
import { postgresAddressFault } from "../../../kit/database-address.ts";
import { startDeadline } from "../../../kit/deadline.ts";
import type { Logger } from "../../../kit/log.ts";
import type { AddressOf } from "../network/address/find-address.ts";
import { kindOfStatement } from "./postgres-rules.ts";
import type { Statement } from "./read-statement.ts";
import {
  apart,
  bytesAsJson,
  exactInteger,
  parseExactJson,
  type ResultBounds,
  RowCollector,
  rowTooLarge,
  type SqlAnswer,
  type SqlParameter,
  type SqlValue,
} from "./sql-answer.ts";
import { postgresFault, sqlFailed } from "./sql-fault.ts";

/** One statement for a PostgreSQL server. */
export interface PostgresCall extends ResultBounds {
  url: string;
  statement: Statement;
  parameters: readonly SqlParameter[];
  readOnly: boolean;
  timeLimitMs: number;
  signal: AbortSignal;
  log: Logger;
}

const CONNECT_SECONDS = 5;
/** Time for the short commands before and after the statement. */
const AROUND_MS = 2000;

/** Runs each statement on its own connection, in a transaction with limits set at the server. */
export function createPostgresRunner(
  clock: Clock,
  addressOf?: AddressOf,
): (call: PostgresCall) => Promise<SqlAnswer> {
  /** Connection strings with a superuser role; each is logged once. */
  const warned = new Set<string>();

  const prepare = async (tx: TransactionSQL, { url, readOnly, timeLimitMs, log }: PostgresCall) => {
    const [role] = await tx.unsafe(settings, [String(timeLimitMs)]);
    if (role?.superuser !== true) return;
    if (!warned.has(url)) log.warn("sql.superuser", { hint: "Give sql_query a role that may only SELECT." });
    warned.add(url);
    // A superuser passes every check of the server. This role may only read rows.
    if (readOnly && role.has_reader === true) await tx.unsafe("SET LOCAL ROLE pg_read_all_data");
  };

  return async (call) => {
    const { url, statement, readOnly, timeLimitMs, signal } = call;
    const kind = kindOfStatement(statement, readOnly);
    const fault = postgresAddressFault(url);
    if (fault !== undefined) throw sqlFailed(`connection_string must be ${fault}.`);
    const limitMs = CONNECT_SECONDS * 1000 + timeLimitMs + AROUND_MS;
    const deadline = startDeadline(clock, limitMs, () => tookTooLong(timeLimitMs), [signal]);
    const server = addressOf === undefined ? { url } : await checkedServer(url, addressOf, signal);
    const sql = new Bun.SQL({
      ...server,
      max: 1,
      connectionTimeout: CONNECT_SECONDS,
      connection: { application_name: "argosy sql_query" },
    });
    try {
      return await untilAborted(deadline.signal, () =>
        sql.begin(readOnly ? "READ ONLY" : "READ WRITE", async (tx) => {
          await prepare(tx, call);
          return kind === "rows" ? readRows(tx, call) : write(tx, call);
        }),
      );
    } catch (thrown) {
      throw thrown instanceof AppError || deadline.signal.aborted
        ? thrown
        : postgresFault(thrown, () => tookTooLong(timeLimitMs));
    } finally {
      deadline.dispose();
      // A statement that is still running ends at its own time limit.
      await sql.close({ timeout: 0 });
    }
  };
}

/**
 * Connection settings for an address from an untrusted author: every part is set explicitly, and the host is the checked address. Only
 * `sslmode` is allowed in the query, which could otherwise name another host.
 */
async function checkedServer(text: string, addressOf: AddressOf, signal: AbortSignal) {
  const url = new URL(text);
  const mode = url.searchParams.get("sslmode") ?? "disable";
  const isKnown = [...url.searchParams.keys()].every((key) => key === "sslmode") && tlsModes.includes(mode);
  if (!isKnown)
    throw sqlFailed(`connection_string may only have sslmode=${tlsModes.join("|")} behind its ?.`);
  const username = decodeURIComponent(url.username);
  const password = decodeURIComponent(url.password);
  const database = decodeURIComponent(url.pathname.slice(1));
  // The driver would fill in missing parts from DATABASE_URL and PGPASSWORD and send the operator's password to the author's server.
  if (username === "" || password === "" || database === "")
    throw sqlFailed(
      "connection_string must have a user, a password and a database: postgres://user:password@host/database.",
    );
  const name = url.hostname.replace(/^\[(.*)\]$/, "$1");
  const address = await addressOf(name, signal);
  url.hostname = isIP(address) === 6 ? `[${address}]` : address;
  url.search = "";
  return {
    adapter: "postgres" as const,
    // With a URL, the driver reads none from the environment, whose parameters it would otherwise send.
    url: url.href,
    hostname: address,
    port: Number(url.port || 5432),
    username,
    password,
    database,
    tls:
      mode === "disable"
        ? false
        : {
            rejectUnauthorized: mode !== "require",
            ...(isIP(name) === 0 && { serverName: name, servername: name }),
          },
  };
}

const tlsModes: readonly string[] = ["disable", "require", "verify-full"];

/** The server must parse strings as we did, and a lost connection must not keep its locks. */
const settings = `SELECT
  set_config('statement_timeout', $1, true), set_config('lock_timeout', $1, true),
  set_config('idle_in_transaction_session_timeout', '10000', true),
  set_config('standard_conforming_strings', 'on', true), set_config('timezone', 'UTC', true),
  to_regrole('pg_read_all_data') IS NOT NULL AS has_reader,
  (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) AS superuser`;

/**
 * Rows of the statement as lines of JSON, built and measured by the server, so that it sends only what is kept. The statement is enclosed
 * in parentheses, which it can't close, because its own are balanced.
 */
async function readRows(tx: TransactionSQL, call: PostgresCall): Promise<SqlAnswer> {
  const { statement, rowsMax, charsMax } = call;
  const values = call.parameters.map(toPostgres);
  const rows = `(\n${statement.text}\n)`;
  const described = await tx.unsafe(`SELECT * FROM ${rows} AS _rows LIMIT $${values.length + 1}::bigint`, [
    ...values,
    "0",
  ]);
  const columns = namesOf(described.columns);
  if (columns.length === 0) throw sqlFailed("The statement gives no columns; name some.");
  const keys = columns.map((_, index) => `c${index}`);
  const measured = `
    SELECT CASE WHEN used <= $${values.length + 1}::bigint THEN line END AS line FROM (
      SELECT line, sum(length(line)) OVER (ROWS UNBOUNDED PRECEDING) AS used FROM (
        SELECT row_to_json(_rows)::text AS line FROM ${rows} AS _rows(${keys.join(", ")})
        LIMIT $${values.length + 2}::bigint
      ) AS _lines
    ) AS _measured`;
  const found = await tx.unsafe(measured, [...values, String(charsMax), String(rowsMax + 1)]);
  const collector = new RowCollector({ rowsMax, charsMax });
  for (const { line } of found as Iterable<{ line: string | null }>) {
    if (line === null) collector.truncated = true;
    else if (!collector.add(named(columns, Object.values(parseExactJson(line) as object)))) break;
  }
  if (collector.isTooLarge) throw sqlFailed(rowTooLarge);
  const { truncated } = collector;
  return { columns, rows: collector.rows, truncated, ...(call.readOnly ? {} : { changes: 0 }) };
}

/** Runs a writing statement unchanged. */
async function write(
  tx: TransactionSQL,
  { statement, parameters, rowsMax, charsMax }: PostgresCall,
): Promise<SqlAnswer> {
  const { text } = statement;
  // Without values, `unsafe` would allow several statements.
  const query =
    parameters.length === 0
      ? tx(Object.defineProperty([text], "raw", { value: [text] }) as unknown as TemplateStringsArray)
      : tx.unsafe(text, parameters.map(toPostgres));
  const found = await query.values();
  const columns = namesOf(found.columns);
  const collector = new RowCollector({ rowsMax, charsMax });
  for (const row of found as Iterable<unknown[]>) {
    if (!collector.add(named(columns, row.map(toJson)))) break;
  }
  return { columns, rows: collector.rows, truncated: collector.truncated, changes: found.affectedRows };
}

function namesOf(columns: SQL.ResultColumn[] | null): string[] {
  return apart((columns ?? []).map(({ name }) => name));
}

function named(columns: readonly string[], values: readonly unknown[]): Record<string, SqlValue> {
  const row: Record<string, SqlValue> = Object.create(null);
  for (const [index, column] of columns.entries()) row[column] = (values[index] ?? null) as SqlValue;
  return row;
}

/** Converts to untyped text, whose type the context determines. */
function toPostgres(value: SqlParameter): string | null {
  return value === null ? null : String(value);
}

function toJson(value: unknown): SqlValue {
  if (value === null || value === undefined) return null;
  if (typeof value === "bigint") return exactInteger(value);
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Uint8Array) return bytesAsJson(value);
  if (typeof value === "number" && !Number.isFinite(value)) return String(value);
  return value as SqlValue;
}

function tookTooLong(timeLimitMs: number): AppError {
  return sqlFailed(
    `The statement took longer than ${timeLimitMs / 1000} seconds and was stopped; make it simpler.`,
  );
}
