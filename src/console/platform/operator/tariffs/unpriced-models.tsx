import { Text } from "@mantine/core";
import type { AdminUsage } from "../../../../contracts/platform/admin.ts";
import { Panel } from "../../../parts/layout/panel.tsx";
import { type PlainColumn, PlainTable } from "../../../parts/tables/plain-table.tsx";
import { formatNumber } from "../../../parts/text/format.ts";
import { tariffTexts as texts } from "../../../texts/platform/billing.ts";
import { usePlatformUsage } from "../consumption-figures.tsx";

const columns: readonly PlainColumn<AdminUsage["unpriced_models"][number]>[] = [
  {
    id: "model",
    header: texts.model,
    className: "ar-break",
    cell: ({ provider, model }) => `${provider}/${model}`,
  },
  { id: "runs", header: texts.runs, align: "end", cell: ({ invocations }) => formatNumber(invocations) },
  {
    id: "tokens",
    header: texts.tokens,
    align: "end",
    cell: ({ tokens_in, tokens_out }) => formatNumber(tokens_in + tokens_out),
  },
];

/** Models that tenants used this month without a recorded cost; renders nothing if there are none. */
export function UnpricedModels() {
  const { data } = usePlatformUsage();
  const models = data?.unpriced_models ?? [];
  if (models.length === 0) return null;
  return (
    <Panel title={texts.unpriced} flush>
      <Text className="ar-soft ar-panel-body">{texts.unpricedHint}</Text>
      <PlainTable
        label={texts.unpriced}
        columns={columns}
        rows={models}
        keyOf={({ provider, model }) => `${provider}/${model}`}
      />
    </Panel>
  );
}
