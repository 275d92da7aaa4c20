import { ActionIcon, Anchor } from "@mantine/core";
import { Link } from "wouter";
import type { DocumentView } from "../../../contracts/daemon/rag/rag.ts";
import {
  chunksColumn,
  DocumentTable,
  nameColumn,
  sizeAndTimeColumns,
} from "../../documents/document-table.tsx";
import { Icon } from "../../parts/icon.tsx";
import type { Column } from "../../parts/tables/data-table.tsx";
import { documentTexts } from "../../texts/documents.ts";
import { knowledgeTexts, collectionTexts as texts } from "../../texts/studio/knowledge.ts";
import { useDaemon } from "../use-daemon.ts";
import { knowledgeKeys, knowledgePaths } from "./knowledge-paths.ts";

/** The documents of a collection, each with a link to its chunks. */
export function DocumentList({ collection }: { collection: string }) {
  const daemon = useDaemon();
  return (
    <DocumentTable
      queryKey={knowledgeKeys.documents(collection)}
      changedKey={knowledgeKeys.collections}
      list={(page) => daemon.listDocuments(collection, page)}
      deleteDocument={(id) => daemon.deleteDocument(collection, id)}
      columnsFor={columnsFor}
      empty={texts.noDocuments}
    />
  );
}

const columnsFor = (remove: (document: DocumentView) => void): Column<DocumentView>[] => [
  nameColumn(({ id, collection }) => (
    <Anchor
      component={Link}
      href={`${knowledgePaths.collection(collection)}?view=chunks&document=${encodeURIComponent(id)}`}
      fw={560}
    >
      {id}
    </Anchor>
  )),
  chunksColumn,
  ...sizeAndTimeColumns,
  {
    id: "actions",
    header: knowledgeTexts.actions,
    width: "60px",
    align: "end",
    cell: (document) => (
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={documentTexts.deleteOf(document.id)}
        onClick={() => remove(document)}
      >
        <Icon name="trash" />
      </ActionIcon>
    ),
  },
];
