import type { Columns } from "../../../storage/tables/columns.ts";

/** Calls of tools with a rate limit, where several nodes count them together. */
export const rateWindowTables = ({ table, id, json, instant, index }: Columns) => ({
  rateWindows: table(
    "rate_windows",
    {
      /** SHA-256 of tenant, agent and tool. */
      scope: id("scope").primaryKey(),
      /** Instants of the calls that were admitted in the window, in milliseconds since 1970, oldest first. */
      calls: json<number[]>("calls").notNull(),
      /** The row means nothing after it. */
      endsAt: instant("ends_at").notNull(),
    },
    (window) => [index("rate_windows_age").on(window.endsAt)],
  ),
});

export type RateWindowTables = ReturnType<typeof rateWindowTables>;
