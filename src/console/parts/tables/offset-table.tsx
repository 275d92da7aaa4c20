import { type QueryKey, useInfiniteQuery } from "@tanstack/react-query";
import { Loaded } from "../states/loaded.tsx";
import { DataTable, type DataTableProps } from "./data-table.tsx";
import { distinctRows, type OffsetPage, offsetPages, readAllOffsets } from "./list-pages.ts";
import { NextPageFailure, paging } from "./next-page.tsx";
import { exportedRowsMax } from "./table-export.tsx";

interface OffsetTableProps<Page extends OffsetPage, Row>
  extends Pick<DataTableProps<Row>, "label" | "columns" | "keyOf" | "empty"> {
  queryKey: QueryKey;
  read: (page: { limit: number; offset: number }) => Promise<Page>;
  rowsOf: (page: Page) => readonly Row[];
}

/** A table over a list that is read by offset; it loads the next page when the reader nears its end. */
export function OffsetTable<Page extends OffsetPage, Row>({
  queryKey,
  read,
  rowsOf,
  keyOf,
  ...table
}: OffsetTableProps<Page, Row>) {
  const query = useInfiniteQuery(offsetPages(queryKey, read));
  return (
    <Loaded query={query}>
      {({ pages }) => (
        <>
          <DataTable
            {...table}
            keyOf={keyOf}
            rows={distinctRows(pages.map(rowsOf), keyOf)}
            readAll={async () => distinctRows([await readAllOffsets(read, rowsOf, exportedRowsMax)], keyOf)}
            {...paging(query)}
          />
          <NextPageFailure query={query} />
        </>
      )}
    </Loaded>
  );
}
