import { useUrlState } from "../../../parts/address/use-url-state.ts";
import { MonthPicker, useMonth } from "../../../parts/inputs/month-picker.tsx";
import { PageHeader } from "../../../parts/layout/page-header.tsx";
import { attributionTexts as texts } from "../../../texts/platform/attribution.ts";
import { AttributionPanel } from "../../attribution-panel.tsx";
import { usePlatform } from "../../use-platform.ts";
import { TenantSelect } from "../tenant-select.tsx";

/** Usage and costs of all tenants, or of one, by key, member or model. */
export default function CostsPage() {
  const platform = usePlatform();
  const [period] = useMonth();
  const [tenant, choose] = useUrlState("tenant");
  const of = tenant === "" ? {} : { tenant_id: tenant };
  return (
    <>
      <PageHeader title={texts.costs} lead={texts.costsLead}>
        <TenantSelect value={tenant} choose={choose} />
        <MonthPicker />
      </PageHeader>
      <AttributionPanel
        queryKey={["platform", "admin", "attribution", period, tenant]}
        read={(by) => platform.costAttribution({ by, period, ...of })}
      />
    </>
  );
}
