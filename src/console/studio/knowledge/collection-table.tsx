import { Anchor } from "@mantine/core";
import { Link } from "wouter";
import type { CollectionView } from "../../../contracts/daemon/rag/rag.ts";
import { type PlainColumn, PlainTable } from "../../parts/tables/plain-table.tsx";
import { formatNumber } from "../../parts/text/format.ts";
import { knowledgeTexts as texts } from "../../texts/studio/knowledge.ts";
import { CollectionMenu } from "./collection-menu.tsx";
import { CollectionStatus } from "./collection-status.tsx";
import { knowledgePaths } from "./knowledge-paths.ts";

const columns: readonly PlainColumn<CollectionView>[] = [
  {
    id: "name",
    header: texts.collection,
    cell: ({ name, status }) => (
      <div className="ar-knowledge-name">
        <Anchor component={Link} href={knowledgePaths.collection(name)} fw={560}>
          {name}
        </Anchor>
        {status !== "ready" && <CollectionStatus status={status} />}
      </div>
    ),
  },
  {
    id: "documents",
    header: texts.documents,
    align: "end",
    cell: ({ documents }) => formatNumber(documents),
  },
  {
    id: "chunks",
    header: texts.chunks,
    align: "end",
    from: "sm",
    cell: ({ chunks }) => formatNumber(chunks),
  },
  {
    id: "embedder",
    header: texts.embedder,
    from: "md",
    className: "ar-break",
    cell: ({ embedder }) => embedder,
  },
  { id: "store", header: texts.store, from: "md", cell: ({ backend }) => backend },
  {
    id: "filledBy",
    header: texts.filledBy,
    from: "sm",
    cell: ({ pipelines }) =>
      pipelines.map((name) => (
        <Anchor key={name} component={Link} href={knowledgePaths.pipeline(name)} mr="xs">
          {name}
        </Anchor>
      )),
  },
  {
    id: "actions",
    header: texts.actions,
    align: "end",
    cell: (collection) => <CollectionMenu collection={collection} />,
  },
];

/** Collections and their sizes. */
export function CollectionTable({ collections }: { collections: readonly CollectionView[] }) {
  return (
    <PlainTable label={texts.collections} columns={columns} rows={collections} keyOf={({ name }) => name} />
  );
}
