import type { Columns } from "../../../storage/tables/columns.ts";

/** Idempotency keys of operators' requests that create something. */
export const operatorKeyTables = ({ table, id, text, instant, json, index }: Columns) => ({
  operatorKeys: table(
    "operator_keys",
    {
      key: id("key").primaryKey(),
      /** SHA-256 of the request. */
      bodyHash: text("body_hash").notNull(),
      /** Null until the transaction that took the key ends. */
      answer: json<Record<string, unknown>>("answer"),
      createdAt: instant("created_at").notNull(),
    },
    (row) => [index("operator_keys_age").on(row.createdAt)],
  ),
});
