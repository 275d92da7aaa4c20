import { Button, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { AdminUsage } from "../../../../contracts/platform/admin.ts";
import { Panel } from "../../../parts/layout/panel.tsx";
import { type PlainColumn, PlainTable } from "../../../parts/tables/plain-table.tsx";
import { RowButton } from "../../../parts/tables/row-button.tsx";
import { formatNumber } from "../../../parts/text/format.ts";
import { tariffTexts as texts } from "../../../texts/platform/billing.ts";
import { usePlatform } from "../../use-platform.ts";
import { usePlatformUsage } from "../consumption-figures.tsx";
import { RerateDialog } from "./rerate-dialog.tsx";
import { TariffDialog } from "./tariff-dialog.tsx";

type UnpricedModel = AdminUsage["unpriced_models"][number];

const columnsFor = (
  hasTariff: (model: UnpricedModel) => boolean,
  setPrice: (model: UnpricedModel) => void,
): readonly PlainColumn<UnpricedModel>[] => [
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
  {
    id: "price",
    header: texts.setPrice,
    hidesHeader: true,
    align: "end",
    cell: (row) =>
      hasTariff(row) ? (
        <span className="ar-soft">{texts.pricedNow}</span>
      ) : (
        <RowButton
          label={texts.setPrice}
          title={texts.setPriceOf(`${row.provider}/${row.model}`)}
          onClick={() => setPrice(row)}
        />
      ),
  },
];

/** Models that tenants used this month without a recorded cost; renders nothing if there are none. */
export function UnpricedModels() {
  const { data } = usePlatformUsage();
  const platform = usePlatform();
  const known = useQuery({ queryKey: ["platform", "admin", "models"], queryFn: platform.listModels });
  const [asked, ask] = useState<UnpricedModel>();
  const [isRerating, setRerating] = useState(false);
  const knownModel = ({ provider, model }: UnpricedModel) =>
    known.data?.models.find((one) => one.provider === provider && one.model === model);
  const hasTariff = (model: UnpricedModel) => knownModel(model)?.has_tariff === true;
  const models = data?.unpriced_models ?? [];
  if (models.length === 0) return null;
  return (
    <Panel
      title={texts.unpriced}
      flush
      actions={
        <Button size="xs" variant="default" onClick={() => setRerating(true)}>
          {texts.rerate}
        </Button>
      }
    >
      <Text className="ar-soft ar-panel-body">{texts.unpricedHint}</Text>
      <PlainTable
        label={texts.unpriced}
        columns={columnsFor(hasTariff, ask)}
        rows={models}
        keyOf={({ provider, model }) => `${provider}/${model}`}
      />
      {asked !== undefined && (
        <TariffDialog
          begun={{ ...asked, cost: knownModel(asked)?.known_cost ?? null }}
          close={() => ask(undefined)}
        />
      )}
      {isRerating && <RerateDialog close={() => setRerating(false)} />}
    </Panel>
  );
}
