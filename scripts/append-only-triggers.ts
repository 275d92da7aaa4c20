import type { ChangeGuard } from "../src/storage/tables/append-only.ts";
import type { Dialect } from "../src/storage/tables/columns.ts";

/** The guarded tables of a service, before and after a migration, and the migration's own statements. */
export interface GuardChange {
  service: string;
  before: Guarded;
  after: Guarded;
  statements: readonly string[];
}

type Guarded = Readonly<Record<ChangeGuard, readonly string[]>>;

/** A change of rows that a table's trigger refuses. */
interface Refusal {
  table: string;
  change: Change;
}

/** Returns the statements that create or drop the triggers of guarded tables, for use after a migration's own statements. */
export function appendOnlyTriggers(dialect: Dialect, step: GuardChange): string[] {
  const { service, statements } = step;
  const { changes, prepare, guard, release } = engines[dialect];
  const refusals = ({ append_only, fixed_rows }: Guarded): Refusal[] => [
    ...append_only.flatMap((table) => changes.map((change) => ({ table, change }))),
    ...fixed_rows.flatMap((table) =>
      changes.filter((change) => change !== "DELETE").map((change) => ({ table, change })),
    ),
  ];
  const [before, after] = [refusals(step.before), refusals(step.after)];
  // SQLite changes a table by creating a new one in its place, which drops its triggers.
  const isRebuilt = (table: string) => statements.some((text) => text.includes(`DROP TABLE \`${table}\``));
  const wanted = after.filter((refusal) => !includes(before, refusal) || isRebuilt(refusal.table));
  const released = before.filter(
    (refusal) => !includes(after, refusal) && !isDropped(refusal.table, statements),
  );
  return [
    ...released.map((refusal) => release(service, refusal)),
    ...(wanted.length === 0 ? [] : prepare(service)),
    ...wanted.map((refusal) => guard(service, refusal)),
  ];
}

const includes = (refusals: readonly Refusal[], { table, change }: Refusal) =>
  refusals.some((one) => one.table === table && one.change === change);

const isDropped = (table: string, statements: readonly string[]) =>
  statements.some((text) => /^DROP TABLE/.test(text.trim()) && text.includes(table));

type Change = "UPDATE" | "DELETE" | "TRUNCATE";

interface Engine {
  /** The changes of rows that a trigger can refuse. */
  changes: readonly Change[];
  prepare: (service: string) => string[];
  guard: (service: string, refusal: Refusal) => string;
  release: (service: string, refusal: Refusal) => string;
}

const triggerName = ({ table, change }: Refusal) => `${table}_no_${change.toLowerCase()}`;

const engines: Record<Dialect, Engine> = {
  sqlite: {
    changes: ["UPDATE", "DELETE"],
    prepare: () => [],
    guard: (_service, refusal) =>
      `CREATE TRIGGER IF NOT EXISTS \`${triggerName(refusal)}\` BEFORE ${refusal.change} ON \`${refusal.table}\` BEGIN SELECT RAISE(ABORT, '${refusal.table} is append-only'); END;`,
    release: (_service, refusal) => `DROP TRIGGER IF EXISTS \`${triggerName(refusal)}\`;`,
  },
  postgres: {
    changes: ["UPDATE", "DELETE", "TRUNCATE"],
    prepare: (service) => [
      `CREATE OR REPLACE FUNCTION "${service}"."refuse_change"() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'restrict_violation'; END $$;`,
    ],
    guard(service, refusal) {
      const { table, change } = refusal;
      const trigger = `"${triggerName(refusal)}" BEFORE ${change} ON "${service}"."${table}"`;
      const each = change === "TRUNCATE" ? "STATEMENT" : "ROW";
      return `CREATE OR REPLACE TRIGGER ${trigger} FOR EACH ${each} EXECUTE FUNCTION "${service}"."refuse_change"();`;
    },
    release: (service, refusal) =>
      `DROP TRIGGER IF EXISTS "${triggerName(refusal)}" ON "${service}"."${refusal.table}";`,
  },
};
