import {
  generateDrizzleJson,
  generateMigration,
  generateSQLiteDrizzleJson,
  generateSQLiteMigration,
} from "drizzle-kit/api";
import { getTableName } from "drizzle-orm";
import { postgresColumns } from "../src/storage/postgres/postgres-columns.ts";
import { type ChangeGuard, guardOf } from "../src/storage/tables/append-only.ts";
import { type Columns, columnsOfSqlite, type Dialect } from "../src/storage/tables/columns.ts";
import { ownTables } from "../src/storage/tables/own-tables.ts";
import { appendOnlyTriggers } from "./append-only-triggers.ts";
import { type CountedTable, countedBytesTriggers, countedTables } from "./counted-bytes-triggers.ts";
import { type TalliedTable, talliedRowsTriggers, talliedTables } from "./tallied-rows-triggers.ts";

/** Tables as drizzle-kit describes them, for later comparisons, and the guarded tables. */
export type Snapshot = Record<string, unknown> & { [guard in ChangeGuard]?: readonly string[] } & {
  counted_bytes?: readonly CountedTable[];
  tallied_rows?: readonly TalliedTable[];
};

/** The change of a service's tables from one state to the next on one engine. */
export interface SchemaChange {
  snapshot: Snapshot;
  /** The statements as one migration's text; empty when nothing changed. */
  sql: string;
}

interface Engine {
  snapshot: (tables: Record<string, unknown>) => Promise<object>;
  statements: (from: object, to: object) => Promise<string[]>;
}

const engines: Record<Dialect, Engine> = {
  sqlite: {
    snapshot: (tables) => generateSQLiteDrizzleJson(tables),
    statements: (from, to) => generateSQLiteMigration(from as never, to as never),
  },
  postgres: {
    snapshot: async (tables) => generateDrizzleJson(tables),
    statements: (from, to) => generateMigration(from as never, to as never),
  },
};

/** Returns the change from `before` (undefined: no tables) to the tables of `tables` and storage's own. */
export async function schemaChange(
  dialect: Dialect,
  service: string,
  tables: (columns: Columns) => object,
  before: Snapshot | undefined,
): Promise<SchemaChange> {
  const { snapshot, statements } = engines[dialect];
  const columns = dialect === "postgres" ? postgresColumns(service) : columnsOfSqlite;
  const declared = { ...ownTables(columns), ...tables(columns) };
  const after = await snapshot(declared);
  const {
    append_only = [],
    fixed_rows = [],
    counted_bytes = [],
    tallied_rows = [],
    ...described
  } = before ?? ((await snapshot({})) as Snapshot);
  const own = await statements(described, after);
  const guardedBy = (guard: ChangeGuard) =>
    Object.values(declared)
      .filter((table) => guardOf(table) === guard)
      .map(getTableName)
      .sort();
  const guarded = { append_only: guardedBy("append_only"), fixed_rows: guardedBy("fixed_rows") };
  const triggers = { service, before: { append_only, fixed_rows }, after: guarded, statements: own };
  const counted = countedTables(Object.values(declared));
  const counts = { service, before: counted_bytes, after: counted, statements: own };
  const { first, last } = countedBytesTriggers(dialect, counts);
  const tallied = talliedTables(Object.values(declared));
  const tally = talliedRowsTriggers(dialect, {
    service,
    before: tallied_rows,
    after: tallied,
    statements: own,
  });
  const steps = [
    ...first,
    ...tally.first,
    ...own,
    ...appendOnlyTriggers(dialect, triggers),
    ...last,
    ...tally.last,
  ];
  return {
    // drizzle-kit gives each snapshot random ids. Without them, it changes only if a table does.
    snapshot: {
      ...after,
      id: noId,
      prevId: noId,
      ...Object.fromEntries(Object.entries(guarded).filter(([, names]) => names.length > 0)),
      ...(counted.length > 0 && { counted_bytes: counted }),
      ...(tallied.length > 0 && { tallied_rows: tallied }),
    },
    sql: steps.map((statement) => `${statement.trim()}\n`).join("--> statement-breakpoint\n"),
  };
}

const noId = "00000000-0000-0000-0000-000000000000";
