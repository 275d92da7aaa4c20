import { type SchemaChange, schemaChange } from "../../scripts/schema-change.ts";
import type { Migration, ServiceMigrations } from "../../src/storage/migration.ts";
import type { Columns, Dialect } from "../../src/storage/tables/columns.ts";

/** Two versions of one service's tables. On SQLite, the second requires rebuilding `parents`, to which rows refer. */
export const firstTables = ({ table, id, text, integer }: Columns) => {
  const parents = table("parents", { id: id("id").primaryKey(), name: text("name"), gone: text("gone") });
  return {
    parents,
    children: table("children", {
      id: integer("id").primaryKey(),
      parentId: id("parent_id")
        .notNull()
        .references(() => parents.id, { onDelete: "cascade" }),
    }),
  };
};

export const secondTables = ({ table, id, text, integer, index }: Columns) => {
  const parents = table("parents", { id: id("id").primaryKey(), name: text("name").notNull() }, (parent) => [
    index("parents_name").on(parent.name),
  ]);
  return {
    parents,
    children: table("children", {
      id: integer("id").primaryKey(),
      parentId: id("parent_id")
        .notNull()
        .references(() => parents.id, { onDelete: "cascade" }),
      note: text("note"),
    }),
  };
};

/** Returns the migrations of `service` up to the first and up to the second version. */
export async function versionedMigrations(
  service: string,
): Promise<{ first: ServiceMigrations; both: ServiceMigrations }> {
  const steps = async (dialect: Dialect) => {
    const init = await schemaChange(dialect, service, firstTables, undefined);
    const more = await schemaChange(dialect, service, secondTables, init.snapshot);
    return [step("0000_init", init), step("0001_more", more)] as const;
  };
  const [sqlite, postgres] = [await steps("sqlite"), await steps("postgres")];
  return { first: { sqlite: [sqlite[0]], postgres: [postgres[0]] }, both: { sqlite, postgres } };
}

const step = (tag: string, { sql }: SchemaChange): Migration => ({ tag, sql });
