import type { DocumentView } from "../../../../contracts/daemon/rag/rag.ts";
import {
  chunksColumn,
  DocumentTable,
  nameColumn,
  sizeAndTimeColumns,
} from "../../../documents/document-table.tsx";
import type { Column } from "../../../parts/tables/data-table.tsx";
import { RowButton } from "../../../parts/tables/row-button.tsx";
import { documentTexts } from "../../../texts/documents.ts";
import { documentsTexts, tenantCollectionTexts as texts } from "../../../texts/platform/documents.ts";
import { usePlatform } from "../../use-platform.ts";
import { useRights } from "../rights.tsx";
import { documentKeys } from "./document-keys.ts";

/** The documents of a tenant's collection. */
export function TenantDocuments({ tenantId, collection }: { tenantId: string; collection: string }) {
  const platform = usePlatform(tenantId);
  const keys = documentKeys(tenantId);
  const may = useRights();
  return (
    <DocumentTable
      queryKey={keys.documents(collection)}
      changedKey={keys.collections}
      list={(page) => platform.listDocuments(collection, page)}
      deleteDocument={(id) => platform.deleteDocument(collection, id)}
      columnsFor={(remove) => columnsFor(remove).filter(({ id }) => id !== "actions" || may("documents"))}
      empty={texts.none}
    />
  );
}

const columnsFor = (remove: (document: DocumentView) => void): Column<DocumentView>[] => [
  nameColumn(({ id }) => <span className="ar-break ar-tn-strong">{id}</span>),
  { ...chunksColumn, from: "sm" },
  ...sizeAndTimeColumns,
  {
    id: "actions",
    header: documentsTexts.actions,
    width: "90px",
    align: "end",
    cell: (document) => (
      <RowButton
        label={documentsTexts.remove}
        title={documentTexts.deleteOf(document.id)}
        isDanger
        onClick={() => remove(document)}
      />
    ),
  },
];
