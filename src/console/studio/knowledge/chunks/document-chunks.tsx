import { Autocomplete, Button } from "@mantine/core";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Loaded } from "../../../parts/states/loaded.tsx";
import { readNextPage } from "../../../parts/tables/list-pages.ts";
import { NextPageFailure } from "../../../parts/tables/next-page.tsx";
import { chunkTexts as texts } from "../../../texts/studio/knowledge.ts";
import { useDaemon } from "../../use-daemon.ts";
import { knowledgeKeys } from "../knowledge-paths.ts";
import { ChunkList } from "./chunk-list.tsx";
import { joinChunks } from "./chunk-overlap.ts";

interface DocumentChunksProps {
  collection: string;
  document: string;
  choose: (document: string) => void;
  /** Passes on the text that the chunks were cut from. */
  retry: (text: string) => void;
}

const offeredMax = 200;
const pageChunks = 200;

/** The chunks of a document in its collection. */
export function DocumentChunks({ collection, document, choose, retry }: DocumentChunksProps) {
  const daemon = useDaemon();
  const [written, write] = useState(document);
  const offered = useQuery({
    queryKey: [...knowledgeKeys.documents(collection), "offered"],
    queryFn: () => daemon.listDocuments(collection, { limit: offeredMax }),
  });
  const query = useInfiniteQuery({
    queryKey: [...knowledgeKeys.documents(collection), document, "chunks"],
    enabled: document !== "",
    initialPageParam: "",
    queryFn: ({ pageParam }) =>
      daemon.listChunks(collection, document, {
        limit: pageChunks,
        ...(pageParam === "" ? {} : { cursor: pageParam }),
      }),
    getNextPageParam: ({ next }) => next,
  });
  const chunks = query.data?.pages.flatMap((page) => page.chunks);
  return (
    <>
      <form
        className="ar-knowledge-pick"
        onSubmit={(event) => {
          event.preventDefault();
          choose(written);
        }}
      >
        <Autocomplete
          label={texts.pick}
          description={texts.pickHint}
          data={[...new Set(offered.data?.documents.map(({ id }) => id))]}
          limit={20}
          value={written}
          onChange={write}
          onOptionSubmit={choose}
        />
        {chunks !== undefined && !query.hasNextPage && (
          <Button variant="default" onClick={() => retry(joinChunks(chunks))}>
            {texts.retry}
          </Button>
        )}
      </form>
      {document !== "" && (
        <Loaded query={query}>
          {() => chunks !== undefined && <ChunkList chunks={chunks} count={chunks.length} />}
        </Loaded>
      )}
      <NextPageFailure query={query} />
      {query.hasNextPage && (
        <Button
          variant="default"
          className="ar-views"
          loading={query.isFetchingNextPage}
          onClick={() => void readNextPage(query)}
        >
          {texts.more}
        </Button>
      )}
    </>
  );
}
