import { MonthPicker, useMonth } from "../../../parts/inputs/month-picker.tsx";
import { PageHeader } from "../../../parts/layout/page-header.tsx";
import { Panel } from "../../../parts/layout/panel.tsx";
import { EmptyState } from "../../../parts/states/empty-state.tsx";
import { Loaded } from "../../../parts/states/loaded.tsx";
import { StoragePanel } from "../../../parts/storage-panel.tsx";
import { locale } from "../../../parts/text/locale.ts";
import { usageTexts as texts } from "../../../texts/platform/tenant-runs.ts";
import { AttributionPanel } from "../../attribution-panel.tsx";
import { usePlatform } from "../../use-platform.ts";
import { type TenantPageProps, tenantPage } from "../tenant-page.tsx";
import { AgentUsageTable } from "./agent-usage-table.tsx";
import { ConsumptionView } from "./consumption-view.tsx";
import { CreditMeter } from "./credit-meter.tsx";
import { DailyUsage } from "./daily-usage.tsx";
import { useUsage } from "./use-usage.ts";

export default tenantPage(UsagePage);

function UsagePage({ tenant }: TenantPageProps) {
  const [period] = useMonth();
  const platform = usePlatform(tenant.id);
  const query = useUsage(tenant.id, period);
  return (
    <>
      <PageHeader title={texts.title} lead={texts.lead(tenant.displayName)}>
        <MonthPicker />
      </PageHeader>
      <Loaded query={query}>
        {(report) => (
          <div className="ar-stack">
            <CreditMeter credits={report.credits} />
            <StoragePanel storage={report.storage} />
            <Panel title={formatMonth(report.period)}>
              {report.month.invocations === 0 ? (
                <EmptyState text={texts.none} />
              ) : (
                <ConsumptionView consumption={report.month} />
              )}
            </Panel>
            {report.month.invocations > 0 && <DailyUsage tenantId={tenant.id} period={report.period} />}
            {report.agents.length > 0 && <AgentUsageTable tenantId={tenant.id} agents={report.agents} />}
            {report.month.invocations > 0 && (
              <AttributionPanel
                queryKey={["platform", tenant.id, "attribution", report.period]}
                read={(by) => platform.usageAttribution({ by, period: report.period })}
              />
            )}
          </div>
        )}
      </Loaded>
    </>
  );
}

/** Formats 2026-03 as March 2026. */
function formatMonth(month: string): string {
  return new Intl.DateTimeFormat(locale, { month: "long", year: "numeric", timeZone: "UTC" }).format(
    new Date(`${month}-01T00:00:00Z`),
  );
}
