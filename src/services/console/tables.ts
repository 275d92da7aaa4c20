import type { Columns } from "../../storage/tables/columns.ts";
import { consoleSessionTables } from "./sessions/schema.ts";

/** Tables of the console, in a shared database only. */
export const tables = (columns: Columns) => ({ ...consoleSessionTables(columns) });

export type ConsoleTables = ReturnType<typeof tables>;
