import { type Static, Type } from "@sinclair/typebox";
import { csvText } from "../csv-text.ts";
import { Month } from "./billing/fields.ts";

/** What usage and costs can be split by. */
export const attributions = ["key", "member", "model"] as const;
export type Attribution = (typeof attributions)[number];

const by = Type.Union([Type.Literal("key"), Type.Literal("member"), Type.Literal("model")], {
  description:
    "`key`: API keys; `member`: people, with the runs of keys that they made; `model`: models, where a run counts at each model that it used.",
});

/** Query of a split month. */
export const attributionQuery = {
  by,
  period: Type.Optional(Month),
  format: Type.Optional(Type.Union([Type.Literal("json"), Type.Literal("csv")])),
};

/** Rows that a split month has at most. */
export const attributedRowsMax = 1000;

const sums = {
  invocations: Type.Integer({ description: "Runs that ended. Refused runs are not counted." }),
  tokens_in: Type.Integer(),
  tokens_out: Type.Integer(),
  tokens_cached: Type.Integer({ description: "Part of `tokens_in` that was read from a provider's cache." }),
  credits_charged_micros: Type.Integer(),
};
const costs = {
  provider_cost_micros: Type.Integer({ description: "Sum of the known provider costs, in micros of USD." }),
  unknown_cost_invocations: Type.Integer({
    description: "Runs whose cost is unknown, because no price is known.",
  }),
};
const named = {
  id: Type.Union([Type.String(), Type.Null()], {
    description:
      "Hash of a key, ID of a person, or `<provider>/<model>`. Null for runs that have none, such as those of people with `by=key`.",
  }),
  name: Type.String({ description: "Label of the key, e-mail address of the person, or the model." }),
};

const report = <Row extends ReturnType<typeof Type.Object>, Sums extends ReturnType<typeof Type.Object>>(
  row: Row,
  sumsOf: Sums,
) =>
  Type.Object({
    period: Month,
    by,
    complete: Type.Boolean({
      description:
        "False while runs of an earlier version are still being added, for minutes after an upgrade.",
    }),
    rows: Type.Array(row, {
      description: `The ${attributedRowsMax} rows with the most credits, in descending order.`,
    }),
    others: Type.Union([sumsOf, Type.Null()], { description: "Sum of the rows that are left out." }),
    total: sumsOf,
  });

export const AttributedSums = Type.Object(sums);
export type AttributedSums = Static<typeof AttributedSums>;
export const AttributedCosts = Type.Object({ ...sums, ...costs });
export type AttributedCosts = Static<typeof AttributedCosts>;

/** A tenant's month. */
export const UsageAttribution = report(Type.Object({ ...named, ...sums }), AttributedSums);
export type UsageAttribution = Static<typeof UsageAttribution>;

/** A month of one tenant or of all, with the operator's costs. */
export const CostAttribution = report(
  Type.Object({
    ...named,
    tenant_id: Type.Union([Type.String(), Type.Null()], {
      description: "Null with `by=model`, unless one tenant was asked for.",
    }),
    tenant_name: Type.Union([Type.String(), Type.Null()]),
    ...sums,
    ...costs,
  }),
  AttributedCosts,
);
export type CostAttribution = Static<typeof CostAttribution>;

const sumColumns = ["invocations", "tokens_in", "tokens_out", "tokens_cached"] as const;

/** Writes a split month as CSV, with amounts in credits and US dollars, and a last line for what is left out. */
export function attributionCsv({ period, by, rows, others }: UsageAttribution | CostAttribution): string {
  const hasCosts = rows.some((row) => "provider_cost_micros" in row);
  const cut = others === null ? [] : [{ id: null, name: "Others", ...others }];
  const lines: (AttributedSums & Partial<CostAttribution["rows"][number]>)[] = [...rows, ...cut];
  return csvText(
    [
      ...["period", "by", "id", "name"],
      ...(hasCosts ? ["tenant_id", "tenant_name"] : []),
      ...sumColumns,
      "credits",
      ...(hasCosts ? ["known_provider_cost_usd", "unknown_cost_invocations"] : []),
    ],
    lines.map((line) => [
      ...[period, by, line.id ?? null, line.name ?? ""],
      ...(hasCosts ? [line.tenant_id ?? null, line.tenant_name ?? null] : []),
      ...sumColumns.map((column) => line[column]),
      line.credits_charged_micros / 1_000_000,
      ...(hasCosts ? [costCell(line), line.unknown_cost_invocations ?? 0] : []),
    ]),
  );
}

/** Empty if no cost is known. */
const costCell = ({ provider_cost_micros = 0, unknown_cost_invocations = 0 }: Partial<AttributedCosts>) =>
  provider_cost_micros === 0 && unknown_cost_invocations > 0 ? null : provider_cost_micros / 1_000_000;
