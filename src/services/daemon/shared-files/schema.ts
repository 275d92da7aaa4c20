import type { Columns } from "../../../storage/tables/columns.ts";

/** What all nodes have in common besides data: files of the workspace, pauses and releases. Deleted entries stay, so that old copies are recognized. */
export const sharedFileTables = ({
  table,
  id,
  text,
  integer,
  flag,
  instant,
  index,
  primaryKey,
}: Columns) => ({
  sharedFiles: table(
    "shared_files",
    {
      tenant: id("tenant").notNull(),
      /** Path in the workspace, or the name of a state. */
      path: text("path").notNull(),
      /** Sealed: the text. */
      content: text("content").notNull(),
      /** SHA-256 of the text. */
      digest: text("digest").notNull(),
      isDeleted: flag("is_deleted").notNull(),
      /** Grows with every change of any entry. */
      revision: integer("revision").notNull(),
      /** Node that made the change. */
      node: text("node").notNull(),
      at: instant("at").notNull(),
    },
    (file) => [
      primaryKey({ columns: [file.tenant, file.path] }),
      index("shared_files_revision").on(file.tenant, file.revision),
    ],
  ),
});

export type SharedFileTables = ReturnType<typeof sharedFileTables>;
export type SharedFileRow = SharedFileTables["sharedFiles"]["$inferSelect"];
