import { getTableName, type Table } from "drizzle-orm";
import type { Dialect } from "../src/storage/tables/columns.ts";
import {
  type TallyKey,
  type TallyRule,
  type TallySum,
  talliesOf,
} from "../src/storage/tables/tallied-rows.ts";

/** A tally with its table, as a snapshot keeps it. */
export interface TalliedTable extends TallyRule {
  table: string;
}

/** The tallies of a service, before and after a migration, and the migration's own statements. */
export interface TallyChange {
  service: string;
  before: readonly TalliedTable[];
  after: readonly TalliedTable[];
  statements: readonly string[];
}

export function talliedTables(tables: readonly object[]): TalliedTable[] {
  return tables
    .flatMap((table) => talliesOf(table).map((tally) => ({ table: getTableName(table as Table), ...tally })))
    .sort((one, other) => (one.into < other.into ? -1 : 1));
}

/** Returns the statements that drop and create the triggers of tallies; rows that are there count. */
export function talliedRowsTriggers(
  dialect: Dialect,
  { service, before, after, statements }: TallyChange,
): { first: string[]; last: string[] } {
  const { create, drop, fill } = engines[dialect];
  const earlier = new Map(before.map((one) => [one.into, one]));
  const now = new Set(after.map(({ into }) => into));
  const isRebuilt = ({ table, into }: TalliedTable) =>
    statements.some(
      (text) => text.includes(`DROP TABLE \`${table}\``) || text.includes(`DROP TABLE \`${into}\``),
    );
  const changed = after.filter(
    (one) => JSON.stringify(earlier.get(one.into)) !== JSON.stringify(one) || isRebuilt(one),
  );
  const dropped = [
    ...before.filter(({ into }) => !now.has(into)),
    ...changed.flatMap((one) => earlier.get(one.into) ?? []),
  ];
  return {
    first: dropped.flatMap((one) => drop(service, one)),
    last: [
      ...changed.flatMap((one) => create(service, one)),
      ...after.flatMap((one) => (earlier.has(one.into) ? [] : [fill(service, one)])),
    ],
  };
}

interface Engine {
  create(service: string, tally: TalliedTable): string[];
  drop(service: string, tally: TalliedTable): string[];
  /** Adds up the rows that are there. */
  fill(service: string, tally: TalliedTable): string;
}

/** SQL of one engine for the parts of a tally; `row` is `NEW.`, `OLD.` or empty. */
interface Words {
  name(column: string): string;
  table(service: string, name: string): string;
  day(column: string): string;
  flag(column: string): string;
  textOf(field: string): string;
  numberOf(field: string): string;
  elements(column: string): string;
  larger: string;
  /** The number of the part that the transaction writes. */
  part: string;
}

const words: Record<Dialect, Words> = {
  sqlite: {
    name: (column) => `\`${column}\``,
    table: (_, name) => `\`${name}\``,
    day: (column) => `(${column} / 86400000)`,
    flag: (column) => column,
    textOf: (field) => `coalesce(json_extract(used.value, '$.${field}'), '')`,
    numberOf: (field) => `coalesce(json_extract(used.value, '$.${field}'), 0)`,
    elements: (column) => `json_each(${column}) AS used`,
    larger: "max",
    part: "0",
  },
  postgres: {
    name: (column) => `"${column}"`,
    table: (service, name) => `"${service}"."${name}"`,
    day: (column) => `floor(extract(epoch from ${column}) / 86400)::integer`,
    flag: (column) => `(${column})::integer`,
    textOf: (field) => `coalesce(used.value ->> '${field}', '')`,
    numberOf: (field) => `coalesce((used.value ->> '${field}')::bigint, 0)`,
    elements: (column) => `jsonb_array_elements(${column}) AS used(value)`,
    larger: "greatest",
    part: "pg_backend_pid()",
  },
};

/** Columns of the table that its sums depend on. */
function watched({ by, sums, most = {}, each }: TallyRule): string[] {
  const ofKey = (key: TallyKey) => (typeof key === "string" ? [key] : "dayOf" in key ? [key.dayOf] : []);
  const ofSum = (sum: TallySum) =>
    sum === "rows" ? [] : "column" in sum ? [sum.column] : "flag" in sum ? [sum.flag] : [];
  const all = [
    ...Object.values(by).flatMap(ofKey),
    ...Object.values(sums).flatMap(ofSum),
    ...Object.values(most),
    ...(each === undefined ? [] : [each]),
  ];
  return [...new Set(all)];
}

/** Adds a row to its group, or takes it away; `from`: all rows of the table. */
function addition(
  dialect: Dialect,
  service: string,
  { into, by, sums, most = {}, each, table }: TalliedTable,
  { row, sign, isAll = false }: { row: string; sign: "" | "-"; isAll?: boolean },
): string {
  const engine = words[dialect];
  const column = (name: string) => `${row}${engine.name(name)}`;
  const keys = Object.values(by).map((key) =>
    typeof key === "string"
      ? `coalesce(${column(key)}, '')`
      : "dayOf" in key
        ? engine.day(column(key.dayOf))
        : engine.textOf(key.field),
  );
  const one = (sum: TallySum) =>
    sum === "rows"
      ? "1"
      : "column" in sum
        ? column(sum.column)
        : "flag" in sum
          ? engine.flag(column(sum.flag))
          : engine.numberOf(sum.field);
  const isGrouped = isAll || each !== undefined;
  const added = Object.values(sums).map(
    (sum) => `${sign}${isGrouped ? `sum(${one(sum)})` : `(${one(sum)})`}`,
  );
  const largest = Object.values(most).map((name) => (isGrouped ? `max(${column(name)})` : column(name)));
  const names = [...Object.keys(by), "part", ...Object.keys(sums), ...Object.keys(most)].map(engine.name);
  const sources = [
    ...(isAll ? [engine.table(service, table)] : []),
    ...(each === undefined ? [] : [engine.elements(column(each))]),
  ];
  const from = sources.length === 0 ? "" : ` FROM ${sources.join(" CROSS JOIN ")}`;
  const group = isGrouped ? ` GROUP BY ${keys.join(", ")}` : "";
  const kept = (name: string) => (dialect === "sqlite" ? engine.name(name) : `"kept".${engine.name(name)}`);
  const set = [
    ...Object.keys(sums).map(
      (name) => `${engine.name(name)} = ${kept(name)} + excluded.${engine.name(name)}`,
    ),
    ...Object.keys(most).map(
      (name) => `${engine.name(name)} = ${engine.larger}(${kept(name)}, excluded.${engine.name(name)})`,
    ),
  ].join(", ");
  const conflict = [...Object.keys(by), "part"].map(engine.name).join(", ");
  const alias = dialect === "sqlite" ? "" : ` AS "kept"`;
  const part = isAll ? "0" : engine.part;
  return `INSERT INTO ${engine.table(service, into)}${alias} (${names.join(", ")}) SELECT ${[...keys, part, ...added, ...largest].join(", ")}${from} WHERE true${group} ON CONFLICT (${conflict}) DO UPDATE SET ${set};`;
}

const changes = ["insert", "update", "delete"] as const;

const engines: Record<Dialect, Engine> = {
  sqlite: {
    create(service, tally) {
      const { table, into } = tally;
      const add = (row: "NEW." | "OLD.", sign: "" | "-") => addition("sqlite", service, tally, { row, sign });
      const columns = watched(tally);
      const isOther = columns.map((name) => `OLD.\`${name}\` IS NOT NEW.\`${name}\``).join(" OR ");
      const trigger = (change: (typeof changes)[number], on: string, body: string) =>
        `CREATE TRIGGER IF NOT EXISTS \`${into}_${change}\` AFTER ${on} BEGIN ${body} END;`;
      return [
        trigger("insert", `INSERT ON \`${table}\``, add("NEW.", "")),
        trigger(
          "update",
          `UPDATE OF ${columns.map((name) => `\`${name}\``).join(", ")} ON \`${table}\` WHEN ${isOther}`,
          `${add("OLD.", "-")} ${add("NEW.", "")}`,
        ),
        trigger("delete", `DELETE ON \`${table}\``, add("OLD.", "-")),
      ];
    },
    drop: (_service, { into }) => changes.map((change) => `DROP TRIGGER IF EXISTS \`${into}_${change}\`;`),
    fill: (service, tally) => addition("sqlite", service, tally, { row: "", sign: "", isAll: true }),
  },
  postgres: {
    create(service, tally) {
      const { table, into } = tally;
      const add = (row: "NEW." | "OLD.", sign: "" | "-") =>
        addition("postgres", service, tally, { row, sign });
      const columns = watched(tally).map((name) => `"${name}"`);
      const of = (row: string) => columns.map((name) => `${row}.${name}`).join(", ");
      return [
        `CREATE OR REPLACE FUNCTION "${service}"."tally_${into}"() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF TG_OP = 'UPDATE' THEN IF (${of("OLD")}) IS NOT DISTINCT FROM (${of("NEW")}) THEN RETURN NULL; END IF; END IF; IF TG_OP <> 'INSERT' THEN ${add("OLD.", "-")} END IF; IF TG_OP <> 'DELETE' THEN ${add("NEW.", "")} END IF; RETURN NULL; END $$;`,
        `CREATE OR REPLACE TRIGGER "${into}_tally" AFTER INSERT OR DELETE OR UPDATE OF ${columns.join(", ")} ON "${service}"."${table}" FOR EACH ROW EXECUTE FUNCTION "${service}"."tally_${into}"();`,
      ];
    },
    drop: (service, { table, into }) => [
      `DROP TRIGGER IF EXISTS "${into}_tally" ON "${service}"."${table}";`,
    ],
    fill: (service, tally) => addition("postgres", service, tally, { row: "", sign: "", isAll: true }),
  },
};
