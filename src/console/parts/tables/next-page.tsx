import { Button } from "@mantine/core";
import { partTexts } from "../../texts/parts.ts";
import { EmptyState } from "../states/empty-state.tsx";
import { FailureView } from "../states/failure-view.tsx";
import type { DataTableProps } from "./data-table.tsx";
import { type PagedQuery, readNextPage } from "./list-pages.ts";

/** The part of a paged query that decides whether a table reads further. */
export interface TableQuery extends PagedQuery {
  hasNextPage: boolean;
  isFetchNextPageError: boolean;
  error: unknown;
}

/** Returns the properties of a table that loads the next page near its end. If a page fails, the table waits for the user's retry. */
export function paging(query: TableQuery): Pick<DataTableProps<never>, "hasMore" | "onEnd"> {
  if (query.isFetchNextPageError) return { hasMore: query.hasNextPage };
  return {
    hasMore: query.hasNextPage,
    onEnd: () => void readNextPage(query),
  };
}

/** Says that a search found nothing in the pages so far, and offers to go on. */
export function NoneSoFar({ query }: { query: TableQuery & { isFetchingNextPage: boolean } }) {
  return (
    <EmptyState text={partTexts.noneSoFar}>
      <Button loading={query.isFetchingNextPage} onClick={() => void readNextPage(query)}>
        {partTexts.searchOn}
      </Button>
    </EmptyState>
  );
}

/** Shows why the next page failed, and offers to load it again. */
export function NextPageFailure({ query }: { query: TableQuery }) {
  if (!query.isFetchNextPageError) return null;
  return <FailureView thrown={query.error} retry={() => void readNextPage(query)} />;
}
