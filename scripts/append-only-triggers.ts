import type { Dialect } from "../src/storage/columns.ts";

/** The tables of a service that are append-only, before and after a step, and the step's own statements. */
export interface AppendOnlyChange {
  service: string;
  before: readonly string[];
  after: readonly string[];
  statements: readonly string[];
}

/** The statements that make or take away the triggers of append-only tables, to stand behind a step's own. */
export function appendOnlyTriggers(dialect: Dialect, change: AppendOnlyChange): string[] {
  const { service, before, after, statements } = change;
  // SQLite changes a table by making another in its place, and its triggers go with it.
  const isRebuilt = (table: string) => statements.some((text) => text.includes(`DROP TABLE \`${table}\``));
  const wanted = after.filter((table) => !before.includes(table) || isRebuilt(table));
  const released = before.filter((table) => !after.includes(table) && !isDropped(table, statements));
  const { prepare, guard, release } = engines[dialect];
  return [
    ...released.flatMap((table) => release(service, table)),
    ...(wanted.length === 0 ? [] : prepare(service)),
    ...wanted.flatMap((table) => guard(service, table)),
  ];
}

const isDropped = (table: string, statements: readonly string[]) =>
  statements.some((text) => /^DROP TABLE/.test(text.trim()) && text.includes(table));

interface Engine {
  prepare: (service: string) => string[];
  guard: (service: string, table: string) => string[];
  release: (service: string, table: string) => string[];
}

const changes = ["UPDATE", "DELETE"] as const;
const postgresChanges = [
  { change: "UPDATE", each: "ROW" },
  { change: "DELETE", each: "ROW" },
  { change: "TRUNCATE", each: "STATEMENT" },
];
const triggerName = (table: string, change: string) => `${table}_no_${change.toLowerCase()}`;

const engines: Record<Dialect, Engine> = {
  sqlite: {
    prepare: () => [],
    guard: (_service, table) =>
      changes.map(
        (change) =>
          `CREATE TRIGGER IF NOT EXISTS \`${triggerName(table, change)}\` BEFORE ${change} ON \`${table}\` BEGIN SELECT RAISE(ABORT, '${table} is append-only'); END;`,
      ),
    release: (_service, table) =>
      changes.map((change) => `DROP TRIGGER IF EXISTS \`${triggerName(table, change)}\`;`),
  },
  postgres: {
    prepare: (service) => [
      `CREATE OR REPLACE FUNCTION "${service}"."refuse_change"() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'restrict_violation'; END $$;`,
    ],
    guard: (service, table) =>
      postgresChanges.map(({ change, each }) => {
        const trigger = `"${triggerName(table, change)}" BEFORE ${change} ON "${service}"."${table}"`;
        return `CREATE OR REPLACE TRIGGER ${trigger} FOR EACH ${each} EXECUTE FUNCTION "${service}"."refuse_change"();`;
      }),
    release: (service, table) =>
      postgresChanges.map(
        ({ change }) => `DROP TRIGGER IF EXISTS "${triggerName(table, change)}" ON "${service}"."${table}";`,
      ),
  },
};
