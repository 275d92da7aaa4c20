import type { ReactNode } from "react";
import { useIsInBanner } from "../../api/use-server.tsx";
import { shellTexts } from "../../texts/shell.ts";
import { FailureView } from "./failure-view.tsx";
import { LoadingState } from "./loading-state.tsx";

/** The part of a query, paged or not, that decides what to show. */
export interface LoadedQuery<Data> {
  data: Data | undefined;
  isError: boolean;
  error: unknown;
  refetch: () => unknown;
}

interface LoadedProps<Data> {
  query: LoadedQuery<Data>;
  rows?: number;
  children: (data: Data) => ReactNode;
}

/** Shows the result of a query, its loading state or its failure. A result stays when a later read fails. */
export function Loaded<Data>({ query, rows, children }: LoadedProps<Data>) {
  const isInBanner = useIsInBanner(query.error);
  if (query.data !== undefined) return <>{children(query.data)}</>;
  if (query.isError && !isInBanner) {
    return (
      <FailureView thrown={query.error} title={shellTexts.failedToLoad} retry={() => void query.refetch()} />
    );
  }
  return rows === undefined ? <LoadingState /> : <LoadingState rows={rows} />;
}
