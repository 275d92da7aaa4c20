import type { AuditRecord } from "../../../../contracts/platform/admin.ts";
import { useUrlState } from "../../../parts/address/use-url-state.ts";
import { AuditView } from "../../../parts/audit-view.tsx";
import type { Column } from "../../../parts/tables/data-table.tsx";
import { platformActions, auditTexts as texts } from "../../../texts/audit.ts";
import { usePlatform } from "../../use-platform.ts";
import { TenantLink } from "../tenant-link.tsx";
import { TenantSelect } from "../tenant-select.tsx";

export default function AuditPage() {
  const platform = usePlatform();
  const [tenant, setTenant] = useUrlState("tenant");
  return (
    <AuditView<AuditRecord>
      lead={texts.lead}
      queryKey={["platform", "audit"]}
      actions={platformActions}
      read={(query) => platform.listAudit(query)}
      filters={tenant === "" ? {} : { tenant_id: tenant }}
      fields={<TenantSelect value={tenant} choose={setTenant} />}
      owner={{
        column: tenantColumn,
        name: "tenant",
        textOf: ({ tenant_id, tenant_name }) => tenant_name ?? tenant_id ?? "",
      }}
    />
  );
}

const tenantColumn: Column<AuditRecord> = {
  id: "tenant",
  header: texts.tenant,
  width: "minmax(100px, 1fr)",
  from: "md",
  cell: ({ tenant_id, tenant_name }) =>
    tenant_id === null ? "–" : <TenantLink id={tenant_id} name={tenant_name ?? tenant_id} />,
};
