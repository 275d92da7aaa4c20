import { Button, Group, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { Tariff } from "../../../../contracts/platform/billing/tariffs.ts";
import { useUrlState } from "../../../parts/address/use-url-state.ts";
import { PageHeader } from "../../../parts/layout/page-header.tsx";
import { EmptyState } from "../../../parts/states/empty-state.tsx";
import { Loaded } from "../../../parts/states/loaded.tsx";
import { type Column, DataTable } from "../../../parts/tables/data-table.tsx";
import { formatInstant } from "../../../parts/text/format.ts";
import { creditsText, usdText } from "../../../parts/text/money.ts";
import { StatusBadge } from "../../../parts/text/status-badge.tsx";
import { tariffTexts as texts } from "../../../texts/platform/billing.ts";
import { usePlatform } from "../../use-platform.ts";
import { TariffDialog } from "./tariff-dialog.tsx";
import { UnpricedModels } from "./unpriced-models.tsx";

const columns: readonly Column<Tariff>[] = [
  {
    id: "model",
    header: texts.model,
    width: "minmax(120px, 2fr)",
    cell: ({ provider, model, own }) => (
      <>
        {provider}/{model} {own && <StatusBadge tone="plain">{texts.ownMark}</StatusBadge>}
      </>
    ),
  },
  {
    id: "in",
    header: texts.input,
    width: "72px",
    align: "decimal",
    cell: ({ credits_per_1k_in_micros }) => creditsText(credits_per_1k_in_micros),
  },
  {
    id: "out",
    header: texts.output,
    width: "72px",
    align: "decimal",
    cell: ({ credits_per_1k_out_micros }) => creditsText(credits_per_1k_out_micros),
  },
  {
    id: "cached",
    header: texts.cached,
    width: "110px",
    align: "decimal",
    from: "md",
    cell: ({ credits_per_1k_cached_in_micros: cached }) =>
      cached === null ? texts.asInputRate : creditsText(cached),
  },
  { id: "cost", header: texts.cost, width: "190px", align: "end", from: "lg", cell: costOf },
  {
    id: "from",
    header: texts.from,
    width: "190px",
    from: "sm",
    cell: ({ effective_from }) => formatInstant(effective_from),
  },
];

export default function TariffsPage() {
  const platform = usePlatform();
  const [at, setAt] = useUrlState("at");
  const query = useQuery({
    queryKey: ["platform", "tariffs", at],
    queryFn: () => platform.listTariffs(at === "" ? undefined : new Date(at).toISOString()),
  });
  const [isFiling, setFiling] = useState(false);
  return (
    <>
      <PageHeader title={texts.title} lead={texts.lead}>
        <Group component="label" gap="xs" fz="sm">
          {texts.at}
          <TextInput
            type="datetime-local"
            size="xs"
            value={at}
            onChange={(event) => setAt(event.currentTarget.value)}
          />
        </Group>
        <Button onClick={() => setFiling(true)}>{texts.file}</Button>
      </PageHeader>
      <div className="ar-stack">
        <Loaded query={query}>
          {({ tariffs }) => (
            <DataTable
              label={`${texts.title}, ${texts.per1k}`}
              columns={columns}
              rows={tariffs}
              keyOf={({ id }) => id}
              empty={<EmptyState text={texts.none} />}
            />
          )}
        </Loaded>
        <UnpricedModels />
      </div>
      {isFiling && <TariffDialog close={() => setFiling(false)} />}
    </>
  );
}

function costOf(tariff: Tariff): string {
  const {
    provider_cost_per_1k_in_micros: input,
    provider_cost_per_1k_out_micros: output,
    provider_cost_per_1k_cached_in_micros: cached,
    infra_cost_per_second_micros: second,
  } = tariff;
  const ofProvider =
    input === null && output === null
      ? []
      : [[input, output, cached].map((cost) => (cost === null ? "–" : usdText(cost))).join(" / ")];
  const ofMachines = second === null ? [] : [texts.perSecond(usdText(second))];
  return [...ofProvider, ...ofMachines].join(", ") || "–";
}
