import { SegmentedControl } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "wouter";
import { usePlatform } from "../../../api/use-server.tsx";
import { formatBytes } from "../../../parts/format.ts";
import { Loaded } from "../../../parts/loaded.tsx";
import { PageHead } from "../../../parts/page-head.tsx";
import { useUrlState } from "../../../parts/use-url-state.ts";
import { UploadPanel } from "../../../studio/knowledge/upload-panel.tsx";
import { tenantCollectionTexts as texts } from "../../../texts/platform-documents.ts";
import { type TenantPageProps, tenantPage } from "../tenant-page.tsx";
import { tenantPaths } from "../tenant-paths.ts";
import { documentKeys } from "./document-keys.ts";
import { DocumentTable } from "./document-table.tsx";
import { SearchTest } from "./search-test.tsx";
import { useDocumentUploads } from "./use-document-uploads.ts";

export default tenantPage(CollectionPage);

/** A document's bytes where the plan has no limit: the runtime's own. */
const fileBytesMax = 64 * 1024 * 1024;

function CollectionPage({ tenant }: TenantPageProps) {
  const { collection: name = "" } = useParams();
  const platform = usePlatform(tenant.id);
  const query = useQuery({
    queryKey: documentKeys(tenant.id).collections,
    queryFn: platform.listCollections,
  });
  const [view, setView] = useUrlState("view");
  const bytesMax = query.data?.limits.document_bytes_max ?? fileBytesMax;
  const uploads = useDocumentUploads(tenant.id, name, bytesMax);
  const isThere = query.data?.collections.some((one) => one.name === name) === true;
  const isMissing = query.data !== undefined && !isThere;
  return (
    <>
      <PageHead
        title={name}
        up={{ href: tenantPaths(tenant.id).documents, label: texts.up }}
        lead={isMissing ? texts.notYet : texts.lead(name)}
      />
      <Loaded query={query} rows={3}>
        {() => (
          <div className="ar-stack">
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
            {view === "search" ? (
              <SearchTest tenantId={tenant.id} collection={name} isThere={isThere} />
            ) : (
              <>
                <UploadPanel uploads={uploads} hint={texts.kinds(formatBytes(bytesMax))} />
                {isThere && <DocumentTable tenantId={tenant.id} collection={name} />}
              </>
            )}
          </div>
        )}
      </Loaded>
    </>
  );
}
