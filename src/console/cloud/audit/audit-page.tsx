import { AuditView } from "../../parts/audit-view.tsx";
import { PageHeader } from "../../parts/layout/page-header.tsx";
import { EmptyState } from "../../parts/states/empty-state.tsx";
import { orgActions, auditTexts as texts } from "../../texts/audit.ts";
import { mayManage, type OrgPageProps, orgPage } from "../org-page.tsx";
import { useCloud } from "../use-cloud.ts";

export default orgPage(AuditPage);

function AuditPage({ org }: OrgPageProps) {
  const cloud = useCloud();
  if (!mayManage(org)) {
    return (
      <>
        <PageHeader title={texts.title} />
        <EmptyState text={texts.managersOnly} />
      </>
    );
  }
  return (
    <AuditView
      lead={texts.orgLead}
      queryKey={["cloud", org.slug, "audit"]}
      actions={orgActions}
      read={(query) => cloud.audit(org.slug, query)}
    />
  );
}
