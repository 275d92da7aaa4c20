import { Button, SegmentedControl } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "wouter";
import { UploadPanel } from "../../../documents/upload-panel.tsx";
import { fileBytesMax } from "../../../documents/upload-queue.ts";
import { useUrlState } from "../../../parts/address/use-url-state.ts";
import { PageHeader } from "../../../parts/layout/page-header.tsx";
import { Loaded } from "../../../parts/states/loaded.tsx";
import { formatBytes } from "../../../parts/text/format.ts";
import { tenantCollectionTexts as texts } from "../../../texts/platform/documents.ts";
import { usePlatform } from "../../use-platform.ts";
import { Permitted, RightNote, useRights } from "../rights.tsx";
import { type TenantPageProps, tenantPage } from "../tenant-page.tsx";
import { tenantPaths } from "../tenant-paths.ts";
import { documentKeys } from "./document-keys.ts";
import { SearchTest } from "./search-test.tsx";
import { TenantDocuments } from "./tenant-documents.tsx";
import { useDocumentUploads } from "./use-document-uploads.ts";

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
