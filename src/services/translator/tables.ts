import type { Columns } from "../../storage/tables/columns.ts";
import { localAccountTables } from "./accounts/local/schema.ts";
import { reconcileTables } from "./reconcile/schema.ts";
import { specTables } from "./specs/schema.ts";

/** Tables of the translator. */
export const tables = (columns: Columns) => ({
  ...specTables(columns),
  ...reconcileTables(columns),
  ...localAccountTables(columns),
});

export type TranslatorTables = ReturnType<typeof tables>;
