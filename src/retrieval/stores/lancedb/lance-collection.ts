import type { AdmissionGate } from "../../../kit/concurrency/admission-gate.ts";
import { requireSelection } from "../stored-row.ts";
import type { VectorCollection } from "../vector-store.ts";
import { lanceFault } from "./lance-fault.ts";
import { listRows, removeRows } from "./lance-rows.ts";
import { matching, nearest } from "./lance-search.ts";
import type { LanceTable } from "./lance-table.ts";
import { rowColumns } from "./rows/row-columns.ts";

/** Returns the result of `work` with the collection's table; undefined if there is none and it should not be created. */
export type UseTable = <T>(make: boolean, work: (table: LanceTable) => Promise<T>) => Promise<T | undefined>;

/** Rows of a collection; a dropped one is empty until rows are added again. */
export function lanceCollection(dimension: number, use: UseTable, gate: AdmissionGate): VectorCollection {
  const reading = async <T>(work: (table: LanceTable) => Promise<T>) => use(false, work).catch(rethrow);
  return {
    dimension,
    async add(batch) {
      const rows = rowColumns(batch, dimension);
      if (rows.ids.length > 0) await use(true, (table) => table.add(rows)).catch(rethrow);
    },
    nearest: async (query) => (await reading((table) => nearest(table, query, gate))) ?? [],
    matching: async (query) => (await reading((table) => matching(table, query, gate))) ?? [],
    async remove(what) {
      requireSelection(what);
      await reading((table) => removeRows(table, what));
    },
    count: async () => (await reading((table) => table.handle.countRows())) ?? 0,
    refresh: async () => reading((table) => table.handle.checkoutLatest()),
    list: async (what, page) => (await reading((table) => listRows(table, what, page))) ?? [],
  };
}

const rethrow = (thrown: unknown): never => {
  throw lanceFault(thrown);
};
