import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Unreachable } from "../api/console-fetch.ts";
import { useConnectionLost } from "../api/use-server.tsx";
import { shellTexts } from "../texts/shell.ts";
import { FailureView } from "./failure-view.tsx";
import { LoadingState } from "./loading-state.tsx";

interface LoadedProps<Data> {
  query: UseQueryResult<Data>;
  rows?: number;
  children: (data: Data) => ReactNode;
}

/** Shows the result of a query, its loading state or its failure. While the server is unreachable, the banner above the page says so. */
export function Loaded<Data>({ query, rows, children }: LoadedProps<Data>) {
  const isLost = useConnectionLost();
  if (query.data !== undefined) return <>{children(query.data)}</>;
  if (query.isError && !(isLost && query.error instanceof Unreachable)) {
    return (
      <FailureView thrown={query.error} title={shellTexts.failedToLoad} retry={() => void query.refetch()} />
    );
  }
  return rows === undefined ? <LoadingState /> : <LoadingState rows={rows} />;
}
