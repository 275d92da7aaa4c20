import { Anchor, Table } from "@mantine/core";
import { Link } from "wouter";
import type { CollectionView } from "../../../contracts/daemon/rag.ts";
import { formatNumber } from "../../parts/format.ts";
import { knowledgeTexts as texts } from "../../texts/studio-knowledge.ts";
import { CollectionMenu } from "./collection-menu.tsx";
import { CollectionStatus } from "./collection-status.tsx";
import { knowledgePaths } from "./knowledge-paths.ts";

/** The collections, and how much is in each. */
export function CollectionTable({ collections }: { collections: readonly CollectionView[] }) {
  return (
    <Table>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{texts.collection}</Table.Th>
          <Table.Th className="ar-end">{texts.documents}</Table.Th>
          <Table.Th className="ar-end">{texts.chunks}</Table.Th>
          <Table.Th>{texts.embedder}</Table.Th>
          <Table.Th>{texts.store}</Table.Th>
          <Table.Th>{texts.filledBy}</Table.Th>
          <Table.Th className="ar-end">{texts.actions}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {collections.map((collection) => (
          <Table.Tr key={collection.name}>
            <Table.Td>
              <div className="ar-knowledge-name">
                <Anchor component={Link} href={knowledgePaths.collection(collection.name)} fw={560}>
                  {collection.name}
                </Anchor>
                {collection.status !== "ready" && <CollectionStatus status={collection.status} />}
              </div>
            </Table.Td>
            <Table.Td className="ar-end">{formatNumber(collection.documents)}</Table.Td>
            <Table.Td className="ar-end">{formatNumber(collection.chunks)}</Table.Td>
            <Table.Td className="ar-break">{collection.embedder}</Table.Td>
            <Table.Td>{collection.backend}</Table.Td>
            <Table.Td>
              {collection.pipelines.map((name) => (
                <Anchor key={name} component={Link} href={knowledgePaths.pipeline(name)} mr="xs">
                  {name}
                </Anchor>
              ))}
            </Table.Td>
            <Table.Td className="ar-end">
              <CollectionMenu collection={collection} />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
