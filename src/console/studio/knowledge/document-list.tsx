import { ActionIcon, Anchor } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "wouter";
import type { DocumentView } from "../../../contracts/daemon/rag/rag.ts";
import { useDaemon } from "../../api/use-server.tsx";
import { Confirm } from "../../parts/confirm.tsx";
import { CursorTable } from "../../parts/cursor-table.tsx";
import type { Column } from "../../parts/data-table.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { formatNumber } from "../../parts/format.ts";
import { Instant } from "../../parts/instant.tsx";
import { say } from "../../parts/say.ts";
import { Icon } from "../../shell/icon.tsx";
import { knowledgeTexts, collectionTexts as texts } from "../../texts/studio-knowledge.ts";
import { knowledgeKeys, knowledgePaths } from "./knowledge-paths.ts";

const columnsOf = (remove: (document: DocumentView) => void): Column<DocumentView>[] => [
  {
    id: "document",
    header: texts.document,
    width: "minmax(120px, 1fr)",
    cell: ({ id, collection }) => (
      <Anchor
        component={Link}
        href={`${knowledgePaths.collection(collection)}?view=chunks&document=${encodeURIComponent(id)}`}
        fw={560}
      >
        {id}
      </Anchor>
    ),
  },
  {
    id: "chunks",
    header: knowledgeTexts.chunks,
    width: "80px",
    align: "end",
    cell: ({ chunks }) => formatNumber(chunks),
  },
  {
    id: "characters",
    header: texts.characters,
    width: "100px",
    align: "end",
    from: "sm",
    cell: ({ characters }) => formatNumber(characters),
  },
  {
    id: "updated",
    header: texts.updated,
    width: "120px",
    from: "sm",
    cell: ({ updated_at }) => <Instant iso={updated_at} />,
  },
  {
    id: "actions",
    header: knowledgeTexts.actions,
    width: "60px",
    align: "end",
    cell: (document) => (
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={texts.actionsOf(document.id)}
        onClick={() => remove(document)}
      >
        <Icon name="trash" />
      </ActionIcon>
    ),
  },
];

/** The documents of a collection by id, each with a link to its chunks. */
export function DocumentList({ collection }: { collection: string }) {
  const daemon = useDaemon();
  const queries = useQueryClient();
  const [removed, remove] = useState<DocumentView>();
  return (
    <>
      <CursorTable
        label={texts.table}
        columns={columnsOf(remove)}
        queryKey={knowledgeKeys.documents(collection)}
        read={async (page) => {
          const { documents, next } = await daemon.listDocuments(collection, page);
          return { documents, ...(next === undefined ? {} : { next_cursor: next }) };
        }}
        rowsOf={({ documents }) => documents}
        keyOf={({ id }) => id}
        empty={<EmptyState text={texts.noDocuments} />}
      />
      {removed !== undefined && (
        <Confirm
          opened
          title={texts.deleteTitle(removed.id)}
          text={texts.deleteText}
          action={texts.delete}
          onClose={() => remove(undefined)}
          onConfirm={async () => {
            await daemon.deleteDocument(collection, removed.id);
            await queries.invalidateQueries({ queryKey: knowledgeKeys.collections });
            say(texts.deleted(removed.id));
          }}
        />
      )}
    </>
  );
}
