import { Anchor } from "@mantine/core";
import { Link } from "wouter";
import type { PipelineView } from "../../../../contracts/daemon/rag/rag-pipelines.ts";
import { type PlainColumn, PlainTable } from "../../../parts/tables/plain-table.tsx";
import { StatusBadge } from "../../../parts/text/status-badge.tsx";
import { knowledgeTexts, pipelineTexts as texts } from "../../../texts/studio/knowledge.ts";
import { knowledgePaths } from "../knowledge-paths.ts";

const columns: readonly PlainColumn<PipelineView>[] = [
  {
    id: "name",
    header: texts.name,
    cell: ({ name, status }) => (
      <div className="ar-knowledge-name">
        <Anchor component={Link} href={knowledgePaths.pipeline(name)} fw={560}>
          {name}
        </Anchor>
        {status === "failed" && <StatusBadge tone="bad">{texts.status.failed}</StatusBadge>}
      </div>
    ),
  },
  {
    id: "collection",
    header: knowledgeTexts.collection,
    cell: ({ collection }) => (
      <Anchor component={Link} href={knowledgePaths.collection(collection)}>
        {collection}
      </Anchor>
    ),
  },
  {
    id: "file",
    header: texts.file,
    from: "md",
    className: "ar-soft",
    cell: ({ file }) => file ?? texts.inMemory,
  },
  {
    id: "description",
    header: texts.description,
    from: "sm",
    className: "ar-soft",
    cell: ({ description, error }) => error ?? description,
  },
];

/** Pipelines and their collections. */
export function PipelineTable({ pipelines }: { pipelines: readonly PipelineView[] }) {
  return <PlainTable label={texts.title} columns={columns} rows={pipelines} keyOf={({ name }) => name} />;
}
