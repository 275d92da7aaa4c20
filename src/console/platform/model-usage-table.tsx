import type { ModelUsage } from "../../contracts/platform/runs/runs.ts";
import { type PlainColumn, PlainTable } from "../parts/tables/plain-table.tsx";
import { formatNumber } from "../parts/text/format.ts";
import { modelUsageTexts as texts } from "../texts/platform/operator.ts";

const columns: readonly PlainColumn<ModelUsage>[] = [
  {
    id: "model",
    header: texts.model,
    className: "ar-break",
    cell: ({ provider, model }) => (
      <>
        <span className="ar-soft">{provider}/</span>
        {model}
      </>
    ),
  },
  { id: "role", header: texts.role, cell: ({ role }) => role },
  { id: "in", header: texts.tokensIn, align: "end", cell: ({ tokens_in }) => formatNumber(tokens_in) },
  {
    id: "cached",
    header: texts.cached,
    align: "end",
    from: "sm",
    cell: ({ tokens_cached }) => formatNumber(tokens_cached),
  },
  { id: "out", header: texts.tokensOut, align: "end", cell: ({ tokens_out }) => formatNumber(tokens_out) },
];

/** Tokens by model and role. */
export function ModelUsageTable({ models }: { models: readonly ModelUsage[] }) {
  return (
    <PlainTable
      label={texts.label}
      columns={columns}
      rows={models}
      keyOf={({ provider, model, role }) => `${provider}/${model} ${role}`}
    />
  );
}
