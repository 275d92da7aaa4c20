import { Button } from "@mantine/core";
import type { ReactNode } from "react";
import { EmptyState } from "../../parts/empty-state.tsx";
import { FailureView } from "../../parts/failure-view.tsx";
import { LoadingState } from "../../parts/loading-state.tsx";
import { recallTexts as texts } from "../../texts/studio-parts.ts";

interface RecallListProps {
  /** The paged query. */
  list: {
    isError: boolean;
    error: unknown;
    refetch: () => unknown;
    hasNextPage: boolean;
    isFetchingNextPage: boolean;
    fetchNextPage: () => unknown;
  };
  /** Number of items loaded so far; absent while they load. */
  count: number | undefined;
  /** Shown if there are none. */
  empty: string;
  children: ReactNode;
}

/** Loaded memories, one below the other. */
export function RecallList({ list, count, empty, children }: RecallListProps) {
  if (count === undefined) {
    return list.isError ? (
      <FailureView thrown={list.error} retry={() => void list.refetch()} />
    ) : (
      <LoadingState />
    );
  }
  if (count === 0) return <EmptyState text={empty} />;
  return (
    <>
      <ul className="ar-recalls">{children}</ul>
      {list.hasNextPage && (
        <Button
          size="xs"
          variant="default"
          mt="sm"
          loading={list.isFetchingNextPage}
          onClick={() => void list.fetchNextPage()}
        >
          {texts.more}
        </Button>
      )}
    </>
  );
}
