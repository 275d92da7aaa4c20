import { MonthPicker, useMonth } from "../../../parts/inputs/month-picker.tsx";
import { PageHeader } from "../../../parts/layout/page-header.tsx";
import { Loaded } from "../../../parts/states/loaded.tsx";
import { operatorTexts as texts } from "../../../texts/platform/operator.ts";
import { ConsumptionFigures, usePlatformUsage } from "../consumption-figures.tsx";
import { ModelsUsed } from "../models-used.tsx";
import { AttentionPanel } from "./attention-panel.tsx";
import { StatusCounts } from "./status-counts.tsx";
import { TenantsByUse } from "./tenants-by-use.tsx";

export default function OverviewPage() {
  const [month] = useMonth();
  const query = usePlatformUsage(month);
  return (
    <>
      <PageHeader title={texts.overview} lead={texts.overviewLead}>
        <MonthPicker />
      </PageHeader>
      <Loaded query={query}>
        {(usage) => (
          <>
            <ConsumptionFigures consumption={usage.month} />
            <div className="ar-stack">
              <AttentionPanel unpriced={usage.unpriced_models.length} month={month} />
              <div className="ar-columns">
                <StatusCounts counts={usage.month.by_status} />
                <ModelsUsed models={usage.month.by_model} />
              </div>
              <TenantsByUse tenants={usage.tenants} />
            </div>
          </>
        )}
      </Loaded>
    </>
  );
}
