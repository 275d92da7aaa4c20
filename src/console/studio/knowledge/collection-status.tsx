import type { CollectionView } from "../../../contracts/daemon/rag/rag.ts";
import { StatusBadge, type Tone } from "../../parts/text/status-badge.tsx";
import { knowledgeTexts as texts } from "../../texts/studio/knowledge.ts";

const tones: Readonly<Record<CollectionView["status"], Tone>> = {
  ready: "good",
  reindexing: "accent",
  reindex_needed: "warn",
  vectors_elsewhere: "bad",
};

export function CollectionStatus({ status }: Pick<CollectionView, "status">) {
  return <StatusBadge tone={tones[status]}>{texts.status[status]}</StatusBadge>;
}
