import { FailureView } from "../states/failure-view.tsx";
import type { DataTableProps } from "./data-table.tsx";

/** The part of a paged query that decides how a table goes on. */
interface PagedQuery {
  hasNextPage: boolean;
  isFetchNextPageError: boolean;
  error: unknown;
  fetchNextPage: (options?: { cancelRefetch?: boolean }) => Promise<unknown>;
}

/** Returns the properties of a table that loads the next page near its end. If a page fails, the table waits for the user's retry. */
export function paging(query: PagedQuery): Pick<DataTableProps<never>, "hasMore" | "onEnd"> {
  if (query.isFetchNextPageError) return { hasMore: query.hasNextPage };
  return {
    hasMore: query.hasNextPage,
    // A running fetch already loads the next page.
    onEnd: () => void query.fetchNextPage({ cancelRefetch: false }),
  };
}

/** Shows why the next page failed, and offers to load it again. */
export function NextPageFailure({ query }: { query: PagedQuery }) {
  if (!query.isFetchNextPageError) return null;
  return <FailureView thrown={query.error} retry={() => void query.fetchNextPage()} />;
}
