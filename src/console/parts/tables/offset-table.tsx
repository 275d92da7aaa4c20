import { type QueryKey, useInfiniteQuery } from "@tanstack/react-query";
import { Loaded } from "../states/loaded.tsx";
import { DataTable, type DataTableProps } from "./data-table.tsx";
import { NextPageFailure, paging } from "./next-page.tsx";

/** A page of a list that is read by offset. */
interface OffsetPage {
  total: number;
  limit: number;
  offset: number;
}

interface OffsetTableProps<Page extends OffsetPage, Row>
  extends Pick<DataTableProps<Row>, "label" | "columns" | "keyOf" | "empty"> {
  queryKey: QueryKey;
  read: (page: { limit: number; offset: number }) => Promise<Page>;
  rowsOf: (page: Page) => readonly Row[];
}

const pageRows = 100;

/** A table over a list that is read by offset; it loads the next page when the reader nears its end. */
export function OffsetTable<Page extends OffsetPage, Row>({
  queryKey,
  read,
  rowsOf,
  keyOf,
  ...table
}: OffsetTableProps<Page, Row>) {
  const query = useInfiniteQuery({
    queryKey,
    initialPageParam: 0,
    queryFn: ({ pageParam }) => read({ limit: pageRows, offset: pageParam }),
    getNextPageParam: ({ offset, limit, total }) => (offset + limit < total ? offset + limit : undefined),
  });
  return (
    <Loaded query={query}>
      {({ pages }) => (
        <>
          <DataTable
            {...table}
            keyOf={keyOf}
            rows={distinct(
              pages.flatMap((page) => rowsOf(page)),
              keyOf,
            )}
            {...paging(query)}
          />
          <NextPageFailure query={query} />
        </>
      )}
    </Loaded>
  );
}

/** A new row moves the others, so two pages may hold the same one. */
function distinct<Row>(rows: readonly Row[], keyOf: (row: Row) => string): Row[] {
  return [...new Map(rows.map((row) => [keyOf(row), row])).values()];
}
