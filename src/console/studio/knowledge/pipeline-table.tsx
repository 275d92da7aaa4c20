import { Anchor, Table } from "@mantine/core";
import { Link } from "wouter";
import type { PipelineView } from "../../../contracts/daemon/rag-pipelines.ts";
import { StatusBadge } from "../../parts/status-badge.tsx";
import { knowledgeTexts, pipelineTexts as texts } from "../../texts/studio-knowledge.ts";
import { knowledgePaths } from "./knowledge-paths.ts";

/** The pipelines, and the collection that each fills. */
export function PipelineTable({ pipelines }: { pipelines: readonly PipelineView[] }) {
  return (
    <Table>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{texts.name}</Table.Th>
          <Table.Th>{knowledgeTexts.collection}</Table.Th>
          <Table.Th>{texts.file}</Table.Th>
          <Table.Th>{texts.description}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {pipelines.map(({ name, collection, description, status, error, file }) => (
          <Table.Tr key={name}>
            <Table.Td>
              <div className="ar-knowledge-name">
                <Anchor component={Link} href={knowledgePaths.pipeline(name)} fw={560}>
                  {name}
                </Anchor>
                {status === "failed" && <StatusBadge tone="bad">{texts.status.failed}</StatusBadge>}
              </div>
            </Table.Td>
            <Table.Td>
              <Anchor component={Link} href={knowledgePaths.collection(collection)}>
                {collection}
              </Anchor>
            </Table.Td>
            <Table.Td className="ar-soft">{file ?? texts.inMemory}</Table.Td>
            <Table.Td className="ar-soft">{error ?? description}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
