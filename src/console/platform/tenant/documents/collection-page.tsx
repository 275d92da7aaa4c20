import { Button, SegmentedControl } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useMemo } from "react";
import { Link, useParams } from "wouter";
import { kindOfContentType } from "../../../../contracts/daemon/rag/document-types.ts";
import { UploadPanel } from "../../../documents/upload-panel.tsx";
import { fileBytesMax } from "../../../documents/upload-queue.ts";
import { type UploadService, type Uploads, useUploadQueue } from "../../../documents/use-upload-queue.ts";
import { useUrlState } from "../../../parts/address/use-url-state.ts";
import { PageHeader } from "../../../parts/layout/page-header.tsx";
import { Loaded } from "../../../parts/states/loaded.tsx";
import { formatBytes } from "../../../parts/text/format.ts";
import { uploadTexts } from "../../../texts/documents.ts";
import { tenantCollectionTexts as texts } from "../../../texts/platform/documents.ts";
import { usePlatform } from "../../use-platform.ts";
import { Permitted, RightNote, useRights } from "../rights.tsx";
import { type TenantPageProps, tenantPage } from "../tenant-page.tsx";
import { tenantPaths } from "../tenant-paths.ts";
import { documentKeys } from "./document-keys.ts";
import { SearchTest } from "./search-test.tsx";
import { TenantDocuments } from "./tenant-documents.tsx";

export default tenantPage(CollectionPage);

function CollectionPage({ tenant }: TenantPageProps) {
  const { collection: name = "" } = useParams();
  const platform = usePlatform(tenant.id);
  const query = useQuery({
    queryKey: documentKeys(tenant.id).collections,
    queryFn: platform.listCollections,
  });
  const [view, setView] = useUrlState("view");
  const may = useRights();
  const bytesMax = query.data?.limits.document_bytes_max ?? fileBytesMax;
  const uploads = useDocumentUploads(tenant.id, name, bytesMax);
  const isThere = query.data?.collections.some((one) => one.name === name) === true;
  const isMissing = query.data !== undefined && !isThere;
  return (
    <>
      <PageHeader
        title={name}
        up={{ href: tenantPaths(tenant.id).documents, label: texts.up }}
        lead={isMissing ? texts.notYet : texts.lead(name)}
      >
        {isThere && (
          <Permitted right="agents">
            <Button component={Link} href={tenantPaths(tenant.id).agentWith(name)} variant="default">
              {texts.newAgent}
            </Button>
          </Permitted>
        )}
      </PageHeader>
      <RightNote right="documents" />
      <Loaded query={query} rows={3}>
        {() => (
          <div className="ar-stack">
            <Permitted right="documents">
              <SegmentedControl
                aria-label={texts.views}
                className="ar-views"
                value={view === "search" ? view : ""}
                data={[
                  { value: "", label: texts.documents },
                  { value: "search", label: texts.search },
                ]}
                onChange={setView}
              />
            </Permitted>
            {view === "search" && may("documents") ? (
              <SearchTest tenantId={tenant.id} collection={name} isThere={isThere} />
            ) : (
              <>
                <Permitted right="documents">
                  <UploadPanel uploads={uploads} hint={texts.kinds(formatBytes(bytesMax))} />
                </Permitted>
                {isThere && <TenantDocuments tenantId={tenant.id} collection={name} />}
              </>
            )}
          </div>
        )}
      </Loaded>
    </>
  );
}

/** Uploads of files into a tenant's collection. */
function useDocumentUploads(tenantId: string, collection: string, bytesMax: number): Uploads {
  const platform = usePlatform(tenantId);
  const queries = useQueryClient();
  const service = useMemo<UploadService>(
    () => ({
      async send({ id, file }, signal) {
        if (file.size === 0) throw new Error(uploadTexts.empty);
        if (file.size > bytesMax) throw new Error(texts.tooLarge(formatBytes(bytesMax)));
        const document = {
          bytes: new Uint8Array(await file.arrayBuffer()),
          name: file.name,
          ...(kindOfContentType(file.type) === undefined ? {} : { contentType: file.type }),
        };
        return { outcome: await platform.putDocument(collection, id, document, signal) };
      },
      ended: () => void queries.invalidateQueries({ queryKey: documentKeys(tenantId).collections }),
    }),
    [platform, queries, tenantId, collection, bytesMax],
  );
  return useUploadQueue(service);
}
