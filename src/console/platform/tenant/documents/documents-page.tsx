import { Anchor, Button, Text, TextInput } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Link, useLocation } from "wouter";
import type { TenantCollection, TenantCollectionList } from "../../../../contracts/platform/collections.ts";
import { collectionName } from "../../../documents/collection-name.ts";
import { Confirm } from "../../../parts/dialogs/confirm.tsx";
import { FormDialog } from "../../../parts/dialogs/form-dialog.tsx";
import { Figures } from "../../../parts/layout/figures.tsx";
import { PageHeader } from "../../../parts/layout/page-header.tsx";
import { notify } from "../../../parts/notices.tsx";
import { EmptyState } from "../../../parts/states/empty-state.tsx";
import { Loaded } from "../../../parts/states/loaded.tsx";
import { type PlainColumn, PlainTable } from "../../../parts/tables/plain-table.tsx";
import { RowButton } from "../../../parts/tables/row-button.tsx";
import { formatBytes, formatNumber } from "../../../parts/text/format.ts";
import { Instant } from "../../../parts/text/instant.tsx";
import { StatusBadge } from "../../../parts/text/status-badge.tsx";
import { documentTexts } from "../../../texts/documents.ts";
import { documentsTexts as texts } from "../../../texts/platform/documents.ts";
import { usePlatform } from "../../use-platform.ts";
import { Permitted, RightNote, useRights } from "../rights.tsx";
import { type TenantPageProps, tenantPage } from "../tenant-page.tsx";
import { tenantPaths } from "../tenant-paths.ts";
import { documentKeys } from "./document-keys.ts";

export default tenantPage(DocumentsPage);

function DocumentsPage({ tenant }: TenantPageProps) {
  const platform = usePlatform(tenant.id);
  const queries = useQueryClient();
  const queryKey = documentKeys(tenant.id).collections;
  const query = useQuery({ queryKey, queryFn: platform.listCollections });
  const [isNaming, setNaming] = useState(false);
  const [removed, remove] = useState<TenantCollection>();
  const may = useRights();
  const upload = (
    <Permitted right="documents">
      <Button onClick={() => setNaming(true)}>{texts.upload}</Button>
    </Permitted>
  );
  return (
    <>
      <PageHeader title={texts.title} lead={texts.lead(tenant.displayName)}>
        {query.data !== undefined && query.data.collections.length > 0 && upload}
      </PageHeader>
      <RightNote right="documents" />
      <Loaded query={query} rows={3}>
        {(list) => (
          <div className="ar-stack">
            <Limits list={list} />
            {list.collections.length === 0 ? (
              <EmptyState title={texts.noneTitle} text={texts.none}>
                {upload}
              </EmptyState>
            ) : (
              <div className="ar-panel">
                <PlainTable
                  label={texts.collections}
                  columns={columnsFor(tenant.id, remove).filter(
                    ({ id }) => id !== "actions" || may("documents"),
                  )}
                  rows={list.collections}
                  keyOf={({ name }) => name}
                />
              </div>
            )}
          </div>
        )}
      </Loaded>
      {isNaming && <CollectionDialog tenantId={tenant.id} close={() => setNaming(false)} />}
      {removed !== undefined && (
        <Confirm
          opened
          title={texts.deleteCollectionTitle(removed.name)}
          text={texts.deleteCollectionText(formatNumber(removed.documents))}
          action={texts.deleteCollection}
          onClose={() => remove(undefined)}
          onConfirm={async () => {
            await platform.deleteCollection(removed.name);
            await queries.invalidateQueries({ queryKey });
            notify(texts.deleted(removed.name));
          }}
        />
      )}
    </>
  );
}

function Limits({ list: { collections, documents, limits } }: { list: TenantCollectionList }) {
  const { documents_max, document_bytes_max, collections_max } = limits;
  const max = (limit: number | null) => (limit === null ? texts.noLimit : formatNumber(limit));
  return (
    <Figures
      figures={[
        { label: texts.used, value: texts.usedOf(formatNumber(documents), max(documents_max)) },
        {
          label: texts.collectionsUsed,
          value: texts.usedOf(formatNumber(collections.length), max(collections_max)),
        },
        {
          label: texts.largest,
          value: document_bytes_max === null ? texts.noLimit : formatBytes(document_bytes_max),
        },
      ]}
    />
  );
}

const columnsFor = (
  tenantId: string,
  remove: (collection: TenantCollection) => void,
): PlainColumn<TenantCollection>[] => [
  {
    id: "name",
    header: texts.name,
    cell: ({ name, status }) => (
      <>
        <Anchor component={Link} href={tenantPaths(tenantId).collection(name)} fw={600}>
          {name}
        </Anchor>
        {status === "unavailable" && (
          <div className="ar-soft">
            <StatusBadge tone="bad">{texts.status.unavailable}</StatusBadge> {texts.unavailableHint}
          </div>
        )}
      </>
    ),
  },
  { id: "documents", header: texts.count, cell: ({ documents }) => formatNumber(documents) },
  { id: "chunks", header: texts.chunks, from: "md", cell: ({ chunks }) => formatNumber(chunks) },
  {
    id: "created",
    header: texts.created,
    from: "md",
    cell: ({ created_at }) => <Instant iso={created_at} />,
  },
  {
    id: "actions",
    header: texts.actions,
    hidesHeader: true,
    cell: (collection) => (
      <RowButton
        label={texts.remove}
        title={texts.deleteOf(collection.name)}
        isDanger
        onClick={() => remove(collection)}
      />
    ),
  },
];

/** Opens the page of the collection for an upload, even if the collection does not exist yet. */
function CollectionDialog({ tenantId, close }: { tenantId: string; close: () => void }) {
  const [, go] = useLocation();
  const [name, setName] = useState("");
  const isName = collectionName.test(name);
  return (
    <FormDialog
      title={texts.upload}
      action={texts.open}
      isComplete={isName}
      close={close}
      send={async () => go(tenantPaths(tenantId).collection(name))}
    >
      <Text>{texts.uploadText}</Text>
      <TextInput
        label={texts.nameLabel}
        required
        data-autofocus
        autoComplete="off"
        maxLength={63}
        error={name === "" || isName ? undefined : documentTexts.nameFault}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
    </FormDialog>
  );
}
