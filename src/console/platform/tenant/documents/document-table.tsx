import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { DocumentView } from "../../../../contracts/daemon/rag/rag.ts";
import { usePlatform } from "../../../api/use-server.tsx";
import { Confirm } from "../../../parts/confirm.tsx";
import { CursorTable } from "../../../parts/cursor-table.tsx";
import type { Column } from "../../../parts/data-table.tsx";
import { EmptyState } from "../../../parts/empty-state.tsx";
import { formatNumber } from "../../../parts/format.ts";
import { Instant } from "../../../parts/instant.tsx";
import { RowButton } from "../../../parts/row-button.tsx";
import { say } from "../../../parts/say.ts";
import { documentsTexts, tenantCollectionTexts as texts } from "../../../texts/platform-documents.ts";
import { documentKeys } from "./document-keys.ts";

interface DocumentTableProps {
  tenantId: string;
  collection: string;
}

/** The documents of a tenant's collection by their ids. */
export function DocumentTable({ tenantId, collection }: DocumentTableProps) {
  const platform = usePlatform(tenantId);
  const queries = useQueryClient();
  const keys = documentKeys(tenantId);
  const [removed, remove] = useState<DocumentView>();
  return (
    <>
      <CursorTable
        label={texts.documents}
        columns={columnsFor(remove)}
        queryKey={keys.documents(collection)}
        read={async (page) => {
          const { documents, next } = await platform.listDocuments(collection, page);
          return { documents, ...(next === undefined ? {} : { next_cursor: next }) };
        }}
        rowsOf={({ documents }) => documents}
        keyOf={({ id }) => id}
        empty={<EmptyState text={texts.none} />}
      />
      {removed !== undefined && (
        <Confirm
          opened
          title={texts.deleteTitle(removed.id)}
          text={texts.deleteText}
          action={texts.deleteDocument}
          onClose={() => remove(undefined)}
          onConfirm={async () => {
            await platform.deleteDocument(collection, removed.id);
            await queries.invalidateQueries({ queryKey: keys.collections });
            say(documentsTexts.deleted(removed.id));
          }}
        />
      )}
    </>
  );
}

const columnsFor = (remove: (document: DocumentView) => void): Column<DocumentView>[] => [
  {
    id: "document",
    header: texts.document,
    width: "minmax(120px, 1fr)",
    cell: ({ id }) => <span className="ar-break ar-tn-strong">{id}</span>,
  },
  {
    id: "chunks",
    header: documentsTexts.chunks,
    width: "80px",
    align: "end",
    from: "sm",
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
    header: documentsTexts.actions,
    width: "90px",
    align: "end",
    cell: (document) => (
      <RowButton
        label={documentsTexts.remove}
        title={texts.deleteOf(document.id)}
        isDanger
        onClick={() => remove(document)}
      />
    ),
  },
];
