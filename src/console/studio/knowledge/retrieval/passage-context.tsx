import { useQuery } from "@tanstack/react-query";
import type { ChunkView, RagPassage } from "../../../../contracts/daemon/rag/rag.ts";
import { Loaded } from "../../../parts/states/loaded.tsx";
import { retrievalTexts as texts } from "../../../texts/studio/knowledge.ts";
import { useDaemon } from "../../use-daemon.ts";
import { joinChunks, splitAt } from "../chunks/chunk-overlap.ts";
import { knowledgeKeys } from "../knowledge-paths.ts";

interface PassageContextProps {
  collection: string;
  citation: RagPassage["citation"];
}

const pageChunks = 200;

/** A passage with the text before and after it in its document. */
export function PassageContext({ collection, citation }: PassageContextProps) {
  const daemon = useDaemon();
  const { document_id, chunk, start, end } = citation;
  const query = useQuery({
    queryKey: [...knowledgeKeys.documents(collection), document_id, "around", chunk],
    async queryFn() {
      const around: ChunkView[] = [];
      let cursor: string | undefined;
      do {
        const page = await daemon.listChunks(collection, document_id, {
          limit: pageChunks,
          ...(cursor === undefined ? {} : { cursor }),
        });
        around.push(...page.chunks.filter((one) => Math.abs(one.chunk - chunk) <= 1));
        const last = page.chunks.at(-1)?.chunk ?? chunk + 1;
        cursor = last > chunk ? undefined : page.next;
      } while (cursor !== undefined);
      return around;
    },
  });
  return (
    <Loaded query={query} rows={3}>
      {(around) => {
        const from = around[0]?.start ?? 0;
        const [before, passage, after] = splitAt(joinChunks(around), start - from, end - from);
        return (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
          <section className="ar-passage-context ar-break" tabIndex={0} aria-label={texts.context}>
            <span className="ar-soft">{before}</span>
            <mark className="ar-found">{passage}</mark>
            <span className="ar-soft">{after}</span>
          </section>
        );
      }}
    </Loaded>
  );
}
