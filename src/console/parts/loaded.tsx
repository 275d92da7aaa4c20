import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { shellTexts } from "../texts/shell.ts";
import { FailureView } from "./failure-view.tsx";
import { LoadingState } from "./loading-state.tsx";

interface LoadedProps<Data> {
  query: UseQueryResult<Data>;
  rows?: number;
  children: (data: Data) => ReactNode;
}

/** What a query found, or that it is on its way, or why it failed; what was found before stays while the server is away. */
export function Loaded<Data>({ query, rows, children }: LoadedProps<Data>) {
  if (query.data !== undefined) return <>{children(query.data)}</>;
  if (query.isError) {
    return (
      <FailureView thrown={query.error} title={shellTexts.failedToLoad} retry={() => void query.refetch()} />
    );
  }
  return rows === undefined ? <LoadingState /> : <LoadingState rows={rows} />;
}
