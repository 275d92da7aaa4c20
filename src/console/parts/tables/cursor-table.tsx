import { type QueryKey, useInfiniteQuery } from "@tanstack/react-query";
import { Loaded } from "../states/loaded.tsx";
import { DataTable, type DataTableProps } from "./data-table.tsx";
import { cursorPages, readAllPages } from "./list-pages.ts";
import { NextPageFailure, NoneSoFar, paging } from "./next-page.tsx";
import { exportedRowsMax } from "./table-export.tsx";

interface CursorTableProps<Page extends { next_cursor?: string }, Row>
  extends Pick<DataTableProps<Row>, "label" | "columns" | "keyOf" | "empty"> {
  queryKey: QueryKey;
  read: (page: { limit: number; cursor?: string }) => Promise<Page>;
  rowsOf: (page: Page) => readonly Row[];
}

/** A table over a paged list, which loads the next page when the reader nears its end. */
export function CursorTable<Page extends { next_cursor?: string }, Row>({
  queryKey,
  read,
  rowsOf,
  empty,
  ...table
}: CursorTableProps<Page, Row>) {
  const query = useInfiniteQuery(cursorPages(queryKey, read));
  return (
    <Loaded query={query}>
      {({ pages }) => (
        <>
          <DataTable
            {...table}
            rows={pages.flatMap((page) => rowsOf(page))}
            readAll={() => readAllPages(read, rowsOf, exportedRowsMax)}
            empty={query.hasNextPage ? <NoneSoFar query={query} /> : empty}
            {...paging(query)}
          />
          <NextPageFailure query={query} />
        </>
      )}
    </Loaded>
  );
}
