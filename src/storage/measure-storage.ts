import { sql } from "drizzle-orm";
import { othersTurn } from "../kit/concurrency/others-turn.ts";
import type { Storage } from "./storage.ts";

export interface TableSize {
  table: string;
  /** SQLite: the most rows that the table can have. PostgreSQL: the planner's estimate, null before its first `ANALYZE`. */
  rows: number | null;
  /** Null in SQLite. */
  sizeBytes: number | null;
}

export interface DatabaseSize {
  sizeBytes: number;
  /** Empty pages of a SQLite file; null in PostgreSQL. */
  reusableBytes: number | null;
  tables: TableSize[];
}

/** Measures a service's database from its catalog, without reading its rows. `service` names its schema in PostgreSQL. */
export const measureStorage = (storage: Storage, service: string): Promise<DatabaseSize> =>
  storage.dialect === "sqlite" ? measureSqlite(storage) : measurePostgres(storage, service);

async function measureSqlite({ read }: Storage): Promise<DatabaseSize> {
  const [pages] = await read
    .select({
      size: sql<number>`page_count * page_size`,
      reusable: sql<number>`freelist_count * page_size`,
    })
    .from(sql`pragma_page_count, pragma_page_size, pragma_freelist_count`);
  // A table without rowid, such as one of a full-text index, has no row numbers to subtract.
  const names = await read
    .select({ name: sql<string>`name` })
    .from(sql`sqlite_schema`)
    .where(
      sql`type = 'table' and name not like 'sqlite|_%' escape '|' and sql not like '%without rowid%' and sql not like 'create virtual%'`,
    )
    .orderBy(sql`name`);
  const tables: TableSize[] = [];
  for (const { name } of names) {
    // SQLite answers at once, so dozens of tables would be one long piece.
    await othersTurn();
    const table = sql.identifier(name);
    const [span] = await read
      .select({
        rows: sql<number>`coalesce((select max(rowid) from ${table}) - (select min(rowid) from ${table}) + 1, 0)`,
      })
      .from(sql`(select 1) as one`);
    tables.push({ table: name, rows: Number(span?.rows ?? 0), sizeBytes: null });
  }
  return { sizeBytes: Number(pages?.size ?? 0), reusableBytes: Number(pages?.reusable ?? 0), tables };
}

async function measurePostgres({ read }: Storage, service: string): Promise<DatabaseSize> {
  const rows = await read
    .select({
      name: sql<string>`c.relname`,
      rows: sql<number>`c.reltuples`,
      size: sql<number>`pg_total_relation_size(c.oid)`,
    })
    .from(sql`pg_class c join pg_namespace n on n.oid = c.relnamespace`)
    .where(sql`n.nspname = ${service} and c.relkind = 'r'`)
    .orderBy(sql`c.relname`);
  const tables = rows.map(({ name, rows: estimate, size }) => ({
    table: name,
    // -1 until the table was analyzed.
    rows: Number(estimate) < 0 ? null : Number(estimate),
    sizeBytes: Number(size),
  }));
  return {
    sizeBytes: tables.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
    reusableBytes: null,
    tables,
  };
}
