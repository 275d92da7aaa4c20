import { Anchor, Button } from "@mantine/core";
import { useState } from "react";
import { Link } from "wouter";
import type { RagPassage } from "../../../../contracts/daemon/rag/rag.ts";
import { PassagePlace } from "../../../documents/passage-place.tsx";
import { PassageScore } from "../../../documents/passage-score.tsx";
import { formatNumber } from "../../../parts/text/format.ts";
import { JsonView } from "../../../parts/text/json-view.tsx";
import { retrievalTexts as texts } from "../../../texts/studio/knowledge.ts";
import { knowledgePaths } from "../knowledge-paths.ts";
import { PassageContext } from "./passage-context.tsx";

/** One passage found: its score, its place and its text. */
export function PassageView({ collection, passage }: { collection: string; passage: RagPassage }) {
  const { text, score, rank_score, metadata, citation } = passage;
  const { document_id, chunk, start, end } = citation;
  const [isInContext, setInContext] = useState(false);
  const document = `${knowledgePaths.collection(collection)}?view=chunks&document=${encodeURIComponent(document_id)}`;
  return (
    <li className="ar-passage">
      <PassageScore label={texts.score} score={score}>
        {rank_score !== score && (
          <span className="ar-soft">
            {texts.rank} {formatNumber(rank_score)}
          </span>
        )}
      </PassageScore>
      <div>
        <div className="ar-passage-place">
          <Anchor component={Link} href={document} fw={560}>
            {document_id}
          </Anchor>
          <PassagePlace {...citation} />
          <span className="ar-soft">
            {texts.place(formatNumber(chunk), formatNumber(start), formatNumber(end))}
          </span>
          <Button size="compact-xs" variant="subtle" onClick={() => setInContext(!isInContext)}>
            {isInContext ? texts.outOfContext : texts.inContext}
          </Button>
        </div>
        {isInContext ? (
          <PassageContext collection={collection} citation={citation} />
        ) : (
          <div className="ar-break">{text}</div>
        )}
        {Object.keys(metadata).length > 0 && (
          <details className="ar-passage-metadata">
            <summary>{texts.metadata}</summary>
            <JsonView value={metadata} label={`${texts.metadata}: ${document_id}, ${chunk}`} />
          </details>
        )}
      </div>
    </li>
  );
}
