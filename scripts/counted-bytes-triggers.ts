import { getTableColumns, getTableName, type Table } from "drizzle-orm";
import type { Dialect } from "../src/storage/tables/columns.ts";
import { type Counting, countingOf } from "../src/storage/tables/counted-bytes.ts";

/** A table whose bytes triggers count, as a snapshot keeps it. */
export interface CountedTable extends Counting {
  table: string;
  /** Columns whose length counts. */
  columns: string[];
}

/** The counted tables of a service, before and after a migration, and the migration's own statements. */
export interface CountChange {
  service: string;
  before: readonly CountedTable[];
  after: readonly CountedTable[];
  statements: readonly string[];
}

/** Returns the counted ones of these tables. */
export function countedTables(tables: readonly object[]): CountedTable[] {
  return tables
    .flatMap((table) => {
      const counting = countingOf(table);
      if (counting === undefined) return [];
      const columns = Object.values(getTableColumns(table as Table))
        .filter((column) => /^(text|jsonb)/.test(column.getSQLType()))
        .map(({ name }) => name);
      return [{ table: getTableName(table as Table), ...counting, columns }];
    })
    .sort((one, other) => (one.table < other.table ? -1 : 1));
}

/** Statements around a migration's own ones: triggers of before must not see a table that is rebuilt. */
export interface CountSteps {
  first: string[];
  last: string[];
}

/** Returns the statements that drop and create the triggers of counted tables; rows that are there count. */
export function countedBytesTriggers(
  dialect: Dialect,
  { service, before, after, statements }: CountChange,
): CountSteps {
  const { create, drop, fill } = engines[dialect];
  const earlier = new Map(before.map((one) => [one.table, one]));
  const now = new Set(after.map(({ table }) => table));
  const isRebuilt = (table: string) => statements.some((text) => text.includes(`DROP TABLE \`${table}\``));
  const isDropped = (table: string) =>
    statements.some((text) => /^DROP TABLE/.test(text.trim()) && text.includes(table));
  /** All triggers write the ledger by its columns. */
  const isOtherLedger = statements.some((text) => /\bstored_bytes\b/.test(text));
  const changed = after.filter(
    (one) =>
      isOtherLedger || JSON.stringify(earlier.get(one.table)) !== JSON.stringify(one) || isRebuilt(one.table),
  );
  const dropped = [
    ...before.filter(({ table }) => !now.has(table) && !isDropped(table)),
    ...changed.flatMap((one) => earlier.get(one.table) ?? []),
  ];
  return {
    first: dropped.flatMap((one) => drop(service, one)),
    last: [
      ...changed.flatMap((one) => create(service, one)),
      ...after.flatMap((one) => (earlier.has(one.table) ? [] : [fill(service, one)])),
    ],
  };
}

/** Bytes of a row besides its texts, with what indexes keep of it. */
const rowBytes = 96;

interface Engine {
  create(service: string, counted: CountedTable): string[];
  drop(service: string, counted: CountedTable): string[];
  /** Counts the rows that are there. */
  fill(service: string, counted: CountedTable): string;
}

const outsideOf = ({ outside = {} }: CountedTable, column: (name: string) => string) =>
  Object.entries(outside).map(([name, bytes]) => `${column(name)} * ${bytes}`);

const sizeInSqlite =
  (counted: CountedTable) =>
  (row: string): string => {
    const column = (name: string) => `${row}\`${name}\``;
    const lengths = counted.columns.map((name) => `coalesce(octet_length(${column(name)}), 0)`);
    return [String(rowBytes), ...lengths, ...outsideOf(counted, column)].join(" + ");
  };

const sizeInPostgres =
  (counted: CountedTable) =>
  (row: string): string => {
    const column = (name: string) => `${row}"${name}"`;
    const lengths = counted.columns.map((name) => `coalesce(octet_length(${column(name)}::text), 0)`);
    const outside = outsideOf(counted, (name) => `${column(name)}::bigint`);
    return [`${rowBytes}::bigint`, ...lengths, ...outside].join(" + ");
  };

const changes = ["insert", "update", "delete"] as const;
const watched = ({ columns, outside = {} }: CountedTable) => [...columns, ...Object.keys(outside)];

const engines: Record<Dialect, Engine> = {
  sqlite: {
    create(_service, counted) {
      const { table, owner, area, except } = counted;
      const size = sizeInSqlite(counted);
      const trigger = (
        change: (typeof changes)[number],
        on: string,
        row: string,
        bytes: string,
        when = "",
      ) => {
        const owned = `${row}.\`${owner}\` IS NOT NULL${except === undefined ? "" : ` AND ${row}.\`${owner}\` <> '${except}'`}`;
        return `CREATE TRIGGER IF NOT EXISTS \`${table}_counted_${change}\` AFTER ${on} ON \`${table}\` WHEN ${owned}${when} BEGIN INSERT INTO \`stored_bytes\` (\`owner_id\`, \`area\`, \`bytes\`) VALUES (${row}.\`${owner}\`, '${area}', ${bytes}) ON CONFLICT (\`owner_id\`, \`area\`, \`part\`) DO UPDATE SET \`bytes\` = \`bytes\` + excluded.\`bytes\`; END;`;
      };
      const [now, then] = [size("NEW."), size("OLD.")];
      const columns = watched(counted)
        .map((name) => `\`${name}\``)
        .join(", ");
      return [
        trigger("insert", "INSERT", "NEW", now),
        trigger(
          "update",
          `UPDATE OF ${columns}`,
          "NEW",
          `(${now}) - (${then})`,
          ` AND (${now}) <> (${then})`,
        ),
        trigger("delete", "DELETE", "OLD", `-(${then})`),
      ];
    },
    drop: (_service, { table }) =>
      changes.map((change) => `DROP TRIGGER IF EXISTS \`${table}_counted_${change}\`;`),
    fill(_service, counted) {
      const { table, owner, area, except } = counted;
      const owned = `\`${owner}\` IS NOT NULL${except === undefined ? "" : ` AND \`${owner}\` <> '${except}'`}`;
      return `INSERT INTO \`stored_bytes\` (\`owner_id\`, \`area\`, \`bytes\`) SELECT \`${owner}\`, '${area}', sum(${sizeInSqlite(counted)("")}) FROM \`${table}\` WHERE ${owned} GROUP BY \`${owner}\` ON CONFLICT (\`owner_id\`, \`area\`, \`part\`) DO UPDATE SET \`bytes\` = \`bytes\` + excluded.\`bytes\`;`;
    },
  },
  postgres: {
    create(service, counted) {
      const { table, owner, area, except } = counted;
      const size = sizeInPostgres(counted);
      const owned = `who IS NOT NULL${except === undefined ? "" : ` AND who <> '${except}'`}`;
      const columns = watched(counted)
        .map((name) => `"${name}"`)
        .join(", ");
      return [
        `CREATE OR REPLACE FUNCTION "${service}"."count_${table}"() RETURNS trigger LANGUAGE plpgsql AS $$ DECLARE who text; delta bigint := 0; BEGIN IF TG_OP = 'DELETE' THEN who := OLD."${owner}"; ELSE who := NEW."${owner}"; delta := ${size("NEW.")}; END IF; IF TG_OP <> 'INSERT' THEN delta := delta - (${size("OLD.")}); END IF; IF delta <> 0 AND ${owned} THEN INSERT INTO "${service}"."stored_bytes" AS "kept" ("owner_id", "area", "part", "bytes") VALUES (who, '${area}', pg_backend_pid(), delta) ON CONFLICT ("owner_id", "area", "part") DO UPDATE SET "bytes" = "kept"."bytes" + excluded."bytes"; END IF; RETURN NULL; END $$;`,
        `CREATE OR REPLACE TRIGGER "${table}_counted" AFTER INSERT OR DELETE OR UPDATE OF ${columns} ON "${service}"."${table}" FOR EACH ROW EXECUTE FUNCTION "${service}"."count_${table}"();`,
      ];
    },
    drop: (service, { table }) => [`DROP TRIGGER IF EXISTS "${table}_counted" ON "${service}"."${table}";`],
    fill(service, counted) {
      const { table, owner, area, except } = counted;
      const owned = `"${owner}" IS NOT NULL${except === undefined ? "" : ` AND "${owner}" <> '${except}'`}`;
      return `INSERT INTO "${service}"."stored_bytes" AS "kept" ("owner_id", "area", "bytes") SELECT "${owner}", '${area}', sum(${sizeInPostgres(counted)("")}) FROM "${service}"."${table}" WHERE ${owned} GROUP BY "${owner}" ON CONFLICT ("owner_id", "area", "part") DO UPDATE SET "bytes" = "kept"."bytes" + excluded."bytes";`;
    },
  },
};
