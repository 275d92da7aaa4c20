import type { PricedModelUsage } from "../../../../contracts/platform/admin.ts";
import { Panel } from "../../../parts/layout/panel.tsx";
import { type PlainColumn, PlainTable } from "../../../parts/tables/plain-table.tsx";
import { formatNumber } from "../../../parts/text/format.ts";
import { creditsText } from "../../../parts/text/money.ts";
import { operatorTexts as texts } from "../../../texts/platform/operator.ts";
import { runCostText } from "../cost-text.ts";

const columns: readonly PlainColumn<PricedModelUsage>[] = [
  {
    id: "model",
    header: texts.model,
    className: "ar-break",
    cell: ({ provider, model, role }) => (
      <>
        {provider}/{model} <span className="ar-soft">{role}</span>
      </>
    ),
  },
  {
    id: "tokens",
    header: texts.tokens,
    align: "end",
    cell: ({ tokens_in, tokens_out }) => texts.tokensNote(formatNumber(tokens_in), formatNumber(tokens_out)),
  },
  {
    id: "cached",
    header: texts.cached,
    align: "end",
    from: "sm",
    cell: ({ tokens_cached }) => formatNumber(tokens_cached),
  },
  {
    id: "credits",
    header: texts.credits,
    align: "decimal",
    cell: ({ priced, credits_micros }) => (priced ? creditsText(credits_micros) : texts.notPriced),
  },
  {
    id: "cost",
    header: texts.providerCost,
    align: "decimal",
    from: "sm",
    cell: ({ provider_cost_micros }) => runCostText(provider_cost_micros),
  },
];

/** A run's usage of each model, with its price. */
export function PricedUsage({ models }: { models: readonly PricedModelUsage[] }) {
  return (
    <Panel title={texts.usedOf} flush>
      <PlainTable
        label={texts.usedOf}
        columns={columns}
        rows={models}
        keyOf={({ provider, model, role }) => `${provider}/${model} ${role}`}
      />
    </Panel>
  );
}
