import type { ModelUsage } from "../../../contracts/platform/runs/runs.ts";
import { Panel } from "../../parts/layout/panel.tsx";
import { operatorTexts as texts } from "../../texts/platform/operator.ts";
import { ModelUsageTable } from "../model-usage-table.tsx";

/** Models used by the runs of a month, with amounts. */
export function ModelsUsed({ models }: { models: readonly ModelUsage[] }) {
  return (
    <Panel title={texts.byModel} flush>
      {models.length === 0 ? (
        <p className="ar-panel-body ar-soft">{texts.noRuns}</p>
      ) : (
        <ModelUsageTable models={models} />
      )}
    </Panel>
  );
}
