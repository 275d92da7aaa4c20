import { EmptyState } from "../../../parts/empty-state.tsx";
import { Loaded } from "../../../parts/loaded.tsx";
import { MonthPicker, useMonth } from "../../../parts/month-picker.tsx";
import { PageHead } from "../../../parts/page-head.tsx";
import { Panel } from "../../../parts/panel.tsx";
import { usageTexts as texts } from "../../../texts/platform-tenant-runs.ts";
import { type TenantPageProps, tenantPage } from "../tenant-page.tsx";
import { AgentUsageTable } from "./agent-usage-table.tsx";
import { ConsumptionView } from "./consumption-view.tsx";
import { CreditMeter } from "./credit-meter.tsx";
import { DailyUsage } from "./daily-usage.tsx";
import { formatMonth } from "./format-month.ts";
import { useUsage } from "./use-usage.ts";

export default tenantPage(UsagePage);

function UsagePage({ tenant }: TenantPageProps) {
  const [period] = useMonth();
  const query = useUsage(tenant.id, period);
  return (
    <>
      <PageHead title={texts.title} lead={texts.lead(tenant.displayName)}>
        <MonthPicker />
      </PageHead>
      <Loaded query={query}>
        {(report) => (
          <div className="ar-stack">
            <CreditMeter credits={report.credits} />
            <Panel title={formatMonth(report.period)}>
              {report.month.invocations === 0 ? (
                <EmptyState text={texts.none} />
              ) : (
                <ConsumptionView consumption={report.month} />
              )}
            </Panel>
            {report.month.invocations > 0 && <DailyUsage tenantId={tenant.id} period={report.period} />}
            {report.agents.length > 0 && <AgentUsageTable tenantId={tenant.id} agents={report.agents} />}
          </div>
        )}
      </Loaded>
    </>
  );
}
