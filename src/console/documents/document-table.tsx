import { type QueryKey, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { DocumentList, DocumentView } from "../../contracts/daemon/rag/rag.ts";
import { Confirm } from "../parts/dialogs/confirm.tsx";
import { notify } from "../parts/notices.tsx";
import { EmptyState } from "../parts/states/empty-state.tsx";
import { CursorTable } from "../parts/tables/cursor-table.tsx";
import type { Column } from "../parts/tables/data-table.tsx";
import { formatNumber } from "../parts/text/format.ts";
import { Instant } from "../parts/text/instant.tsx";
import { documentTexts as texts } from "../texts/documents.ts";

interface DocumentTableProps {
  queryKey: QueryKey;
  /** Data that a deletion changes. */
  changedKey: QueryKey;
  list: (page: { limit: number; cursor?: string }) => Promise<DocumentList>;
  deleteDocument: (id: string) => Promise<unknown>;
  columnsFor: (remove: (document: DocumentView) => void) => readonly Column<DocumentView>[];
  /** Shown if there are no documents. */
  empty: string;
}

/** The documents of a collection by id. Asks for confirmation before it deletes one. */
export function DocumentTable(props: DocumentTableProps) {
  const { queryKey, changedKey, list, deleteDocument, columnsFor, empty } = props;
  const queries = useQueryClient();
  const [removed, remove] = useState<DocumentView>();
  return (
    <>
      <CursorTable
        label={texts.table}
        columns={columnsFor(remove)}
        queryKey={queryKey}
        read={async (page) => {
          const { documents, next } = await list(page);
          return { documents, ...(next === undefined ? {} : { next_cursor: next }) };
        }}
        rowsOf={({ documents }) => documents}
        keyOf={({ id }) => id}
        empty={<EmptyState text={empty} />}
      />
      {removed !== undefined && (
        <Confirm
          opened
          title={texts.deleteTitle(removed.id)}
          text={texts.deleteText}
          action={texts.deleteAction}
          onClose={() => remove(undefined)}
          onConfirm={async () => {
            await deleteDocument(removed.id);
            await queries.invalidateQueries({ queryKey: changedKey });
            notify(texts.deleted(removed.id));
          }}
        />
      )}
    </>
  );
}

/** Returns the column that identifies each document. */
export const nameColumn = (cell: Column<DocumentView>["cell"]): Column<DocumentView> => ({
  id: "document",
  header: texts.document,
  width: "minmax(120px, 1fr)",
  cell,
});

export const chunksColumn: Column<DocumentView> = {
  id: "chunks",
  header: texts.chunks,
  width: "80px",
  align: "end",
  cell: ({ chunks }) => formatNumber(chunks),
};

export const sizeAndTimeColumns: readonly Column<DocumentView>[] = [
  {
    id: "losses",
    header: texts.losses,
    width: "minmax(80px, 0.8fr)",
    from: "md",
    cell: ({ losses }) => {
      const text = losses?.map(({ detail }) => detail).join("; ") ?? "–";
      return <span title={text}>{text}</span>;
    },
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
];
