import type { Columns } from "../../../storage/tables/columns.ts";

/** Sessions of the consoles of all processes that share a database. */
export const consoleSessionTables = ({ table, id, text, flag, instant, index }: Columns) => ({
  consoleSessions: table(
    "sessions",
    {
      /** SHA-256 of the cookie's id. */
      id: id("id").primaryKey(),
      /** SHA-256 of the page's key. */
      key: text("key").notNull(),
      /** Grants as JSON, sealed. */
      sealed: text("sealed").notNull(),
      /** True if it has no grant but a visitor's. */
      visitor: flag("visitor").notNull(),
      openedAt: instant("opened_at").notNull(),
      usedAt: instant("used_at").notNull(),
    },
    (session) => [index("sessions_age").on(session.visitor, session.usedAt)],
  ),
});
