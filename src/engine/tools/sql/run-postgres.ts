import { isIP } from "node:net";
import type { SQL, TransactionSQL } from "bun";
import { AppError } from "../../../kit/app-error.ts";
import type { Clock } from "../../../kit/clock.ts";
import { untilAborted } from "../../../kit/concurrency/until-aborted.ts";
import { postgresAddressFault, postgresHosts } from "../../../kit/database-address.ts";
import { startDeadline } from "../../../kit/deadline.ts";
import type { Logger } from "../../../kit/log.ts";
import type { AddressOf } from "../network/address/find-address.ts";
import { explainedIn, kindOfStatement, mainPartOf } from "./postgres-rules.ts";
import type { SqlStatement } from "./read-statement.ts";
import {
  apart,
  parseExactJson,
  type ResultBounds,
  RowCollector,
  rowTooLarge,
  type SqlAnswer,
  type SqlParameter,
  type SqlValue,
} from "./sql-answer.ts";
import { postgresFault, sqlFailed, sqlRefused } from "./sql-fault.ts";

/** One statement for a PostgreSQL server. */
export interface PostgresCall extends ResultBounds {
  url: string;
  statement: SqlStatement;
  parameters: readonly SqlParameter[];
  readOnly: boolean;
  timeLimitMs: number;
  signal: AbortSignal;
  log: Logger;
}

const CONNECT_SECONDS = 5;
/** Time for the short commands before and after the statement. */
const AROUND_MS = 2000;

const perform = { rows: readRows, write, report };

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
    if (postgresHosts(url).length > 1) throw sqlFailed("connection_string must name a single host.");
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
          return perform[kind](tx, call);
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
  const rows = `(\n${call.statement.text}\n)`;
  const described = await runText(
    tx,
    `SELECT * FROM ${rows} AS _rows LIMIT 0`,
    call.parameters,
    "_argosy_names",
  );
  const columns = namesOf(described.columns);
  if (columns.length === 0) throw sqlFailed("The statement gives no columns; name some.");
  const keys = columns.map((_, index) => `c${index}`);
  const lines = `SELECT row_to_json(_rows)::text AS line FROM ${rows} AS _rows(${keys.join(", ")})`;
  const lineResult = await runText(tx, `SELECT line FROM ${measured(lines, call)}`, call.parameters);
  const collector = collected(columns, lineResult, call);
  if (collector.isTooLarge) throw sqlFailed(rowTooLarge);
  const { truncated } = collector;
  return { columns, rows: collector.rows, truncated, ...(call.readOnly ? {} : { changes: 0 }) };
}

/**
 * Runs a writing statement once. Rows that it returns come from the server as those of `readRows` do: the statement's main part becomes the
 * last of its common table expressions. The names of their columns are those of a join that adds no values.
 */
async function write(tx: TransactionSQL, call: PostgresCall): Promise<SqlAnswer> {
  const { text } = call.statement;
  const main = mainPartOf(call.statement);
  if (main?.returnsRows !== true) {
    const { affectedRows } = await runText(tx, text, call.parameters);
    return { columns: [], rows: [], truncated: false, changes: affectedRows };
  }
  const before = main.at === 0 ? "WITH" : `${text.slice(0, main.at)},`;
  const result = "_argosy_result";
  const lines = `SELECT (SELECT json_agg(value ORDER BY place) FROM json_each(row_to_json(${result}))
    WITH ORDINALITY AS _values(name, value, place))::text AS line FROM ${result}`;
  const query = `${before} ${result} AS (\n${text.slice(main.at)}\n)
    SELECT _measured.line, (SELECT count(*) FROM ${result}) AS total, _names.* FROM ${measured(lines, call)}
    LEFT JOIN (SELECT * FROM ${result} LIMIT 0) AS _names ON true`;
  const queryResult = await runText(tx, query, call.parameters);
  const columns = namesOf(queryResult.columns?.slice(2) ?? null);
  const { rows, truncated } = collected(columns, queryResult, call);
  return { columns, rows, truncated, ...(main.writes ? { changes: Number(queryResult[0]?.[1] ?? 0) } : {}) };
}

/** Runs `EXPLAIN` or `SHOW`, which return texts or a JSON document. */
async function report(tx: TransactionSQL, call: PostgresCall): Promise<SqlAnswer> {
  const { statement, parameters } = call;
  let { text } = statement;
  if (parameters.length > 0) {
    const { head, explained } = explainedIn(statement);
    text = `${head} ${await prepared(tx, explained.text, parameters)}`;
  }
  const result = await alone(tx, text);
  const columns = namesOf(result.columns);
  const collector = new RowCollector(call);
  for (const row of result) if (!collector.add(named(columns, row))) break;
  if (collector.isTooLarge) throw sqlFailed(rowTooLarge);
  const { rows, truncated } = collector;
  return { columns, rows, truncated, ...(call.readOnly ? {} : { changes: result.affectedRows }) };
}

/** The lines of a query, up to the first that does not fit, which is null. */
const measured = (lines: string, { rowsMax, charsMax }: ResultBounds) => `(
  SELECT CASE WHEN used <= ${charsMax} THEN line END AS line FROM (
    SELECT line, sum(length(line)) OVER (ROWS UNBOUNDED PRECEDING) AS used
    FROM (${lines} LIMIT ${rowsMax + 1}) AS _lines
  ) AS _used
) AS _measured`;

function collected(columns: readonly string[], result: Found, bounds: ResultBounds): RowCollector {
  const collector = new RowCollector(bounds);
  for (const [line] of result) {
    if (typeof line !== "string") collector.truncated = true;
    else if (!collector.add(named(columns, Object.values(parseExactJson(line) as object)))) break;
  }
  return collector;
}

type Found = unknown[][] & Pick<SQL.ResultMetadata, "columns" | "affectedRows">;

/** Runs a statement with the values of its parameters. */
async function runText(
  tx: TransactionSQL,
  text: string,
  parameters: readonly SqlParameter[],
  name?: string,
): Promise<Found> {
  return alone(tx, parameters.length === 0 ? text : await prepared(tx, text, parameters, name));
}

/**
 * Prepares a statement and returns the one that executes it with these values. The server finds each parameter's type from its context, and
 * reads its value as it reads a literal. The driver would write values itself by that type: JSON in a string as a string of JSON.
 */
async function prepared(
  tx: TransactionSQL,
  text: string,
  parameters: readonly SqlParameter[],
  name = "_argosy_call",
): Promise<string> {
  const values = parameters.map(toLiteral).join(", ");
  await alone(tx, `PREPARE ${name} AS ${text}`);
  return `EXECUTE ${name}(${values})`;
}

/** Runs exactly one statement, by the protocol; without values, `unsafe` would allow several. */
function alone(tx: TransactionSQL, text: string): Promise<Found> {
  const strings = Object.defineProperty([text], "raw", { value: [text] }) as unknown as TemplateStringsArray;
  return tx(strings).values() as unknown as Promise<Found>;
}

function namesOf(columns: SQL.ResultColumn[] | null): string[] {
  return apart((columns ?? []).map(({ name }) => name));
}

function named(columns: readonly string[], values: readonly unknown[]): Record<string, SqlValue> {
  const row: Record<string, SqlValue> = Object.create(null);
  for (const [index, column] of columns.entries()) row[column] = (values[index] ?? null) as SqlValue;
  return row;
}

/** Returns an untyped literal. Backslashes are plain characters, because `settings` turns standard strings on. */
function toLiteral(value: SqlParameter, index: number): string {
  if (value === null) return "NULL";
  const text = String(value);
  if (text.includes("\0"))
    throw sqlRefused(
      `params[${index}] contains a NUL character, which PostgreSQL can't store; leave it out.`,
    );
  return `'${text.replaceAll("'", "''")}'`;
}

function tookTooLong(timeLimitMs: number): AppError {
  return sqlFailed(
    `The statement took longer than ${timeLimitMs / 1000} seconds and was stopped; make it simpler.`,
  );
}
