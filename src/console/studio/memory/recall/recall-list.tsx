import { Button } from "@mantine/core";
import type { ReactNode } from "react";
import { EmptyState } from "../../../parts/states/empty-state.tsx";
import { Loaded, type LoadedQuery } from "../../../parts/states/loaded.tsx";
import { NextPageFailure } from "../../../parts/tables/next-page.tsx";
import { recallTexts as texts } from "../../../texts/studio/resources.ts";

interface RecallListProps {
  /** The paged query. */
  list: LoadedQuery<unknown> & {
    hasNextPage: boolean;
    isFetchingNextPage: boolean;
    isFetchNextPageError: boolean;
    fetchNextPage: () => Promise<unknown>;
  };
  /** Number of items loaded so far. */
  count: number | undefined;
  /** Shown if there are none. */
  empty: string;
  children: ReactNode;
}

/** Loaded memories, one below the other. */
export function RecallList({ list, count, empty, children }: RecallListProps) {
  return (
    <Loaded query={list}>
      {() =>
        count === 0 ? (
          <EmptyState text={empty} />
        ) : (
          <>
            <ul className="ar-recalls">{children}</ul>
            <NextPageFailure query={list} />
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
        )
      }
    </Loaded>
  );
}
