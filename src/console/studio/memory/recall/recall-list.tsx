import { Button } from "@mantine/core";
import type { ReactNode } from "react";
import { EmptyState } from "../../../parts/states/empty-state.tsx";
import { Loaded, type LoadedQuery } from "../../../parts/states/loaded.tsx";
import { readNextPage } from "../../../parts/tables/list-pages.ts";
import { NextPageFailure, type TableQuery } from "../../../parts/tables/next-page.tsx";
import { recallTexts as texts } from "../../../texts/studio/resources.ts";

interface RecallListProps {
  /** The paged query. */
  list: LoadedQuery<{ pages: readonly unknown[] }> & TableQuery & { isFetchingNextPage: boolean };
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
                onClick={() => void readNextPage(list)}
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
