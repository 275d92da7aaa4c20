import {
  generateDrizzleJson,
  generateMigration,
  generateSQLiteDrizzleJson,
  generateSQLiteMigration,
} from "drizzle-kit/api";
import { type Columns, columnsFor, type Dialect } from "../src/storage/columns.ts";
import { ownTables } from "../src/storage/own-tables.ts";

/** Tables as drizzle-kit describes them, to compare later ones with. */
export type Snapshot = object;

/** What leads from one state of a service's tables to the next on one engine. */
export interface SchemaChange {
  snapshot: Snapshot;
  /** The statements as one migration's text; empty when nothing changed. */
  sql: string;
}

interface Engine {
  snapshot: (tables: Record<string, unknown>) => Promise<Snapshot>;
  statements: (from: Snapshot, to: Snapshot) => Promise<string[]>;
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

/** From `before` (nothing, when undefined) to the tables that `tables` declares beside storage's own. */
export async function schemaChange(
  dialect: Dialect,
  service: string,
  tables: (columns: Columns) => object,
  before: Snapshot | undefined,
): Promise<SchemaChange> {
  const { snapshot, statements } = engines[dialect];
  const columns = columnsFor(dialect, service);
  const after = await snapshot({ ...ownTables(columns), ...tables(columns) });
  const steps = await statements(before ?? (await snapshot({})), after);
  return {
    // drizzle-kit gives each snapshot random ids; without them it changes only when a table does.
    snapshot: { ...after, id: noId, prevId: noId },
    sql: steps.map((statement) => `${statement.trim()}\n`).join("--> statement-breakpoint\n"),
  };
}

const noId = "00000000-0000-0000-0000-000000000000";
