import { Loaded } from "../../../parts/loaded.tsx";
import { MonthPicker, useMonth } from "../../../parts/month-picker.tsx";
import { PageHead } from "../../../parts/page-head.tsx";
import { operatorTexts as texts } from "../../../texts/platform-runs.ts";
import { ConsumptionFigures } from "../consumption-figures.tsx";
import { ModelsUsed } from "../models-used.tsx";
import { usePlatformUsage } from "../use-platform-usage.ts";
import { NeedsYou } from "./needs-you.tsx";
import { StatusCounts } from "./status-counts.tsx";
import { TenantsByUse } from "./tenants-by-use.tsx";

export default function OverviewPage() {
  const [month] = useMonth();
  const query = usePlatformUsage(month);
  return (
    <>
      <PageHead title={texts.overview} lead={texts.overviewLead}>
        <MonthPicker />
      </PageHead>
      <Loaded query={query}>
        {(usage) => (
          <>
            <ConsumptionFigures consumption={usage.month} />
            <div className="ar-stack">
              <NeedsYou unpriced={usage.unpriced_models.length} month={month} />
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
