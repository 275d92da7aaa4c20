import type { Columns } from "../../../storage/tables/columns.ts";

/** Submitted manifests. */
export const specTables = ({ table, text, instant, primaryKey }: Columns) => ({
  specs: table(
    "specs",
    {
      kind: text("kind").notNull(),
      name: text("name").notNull(),
      /** The manifest as it was sent. */
      yaml: text("yaml").notNull(),
      submittedAt: instant("submitted_at").notNull(),
    },
    (spec) => [primaryKey({ columns: [spec.kind, spec.name] })],
  ),
});

export type SpecTables = ReturnType<typeof specTables>;
