import { Alert, Button, SegmentedControl, Text } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import {
  type Attribution,
  attributionCsv,
  attributions,
  type CostAttribution,
  type UsageAttribution,
} from "../../contracts/platform/attribution.ts";
import { saveFile } from "../api/save-file.ts";
import { useUrlState } from "../parts/address/use-url-state.ts";
import { Panel } from "../parts/layout/panel.tsx";
import { Loaded } from "../parts/states/loaded.tsx";
import { type PlainColumn, PlainTable } from "../parts/tables/plain-table.tsx";
import { formatNumber } from "../parts/text/format.ts";
import { creditsText } from "../parts/text/money.ts";
import { attributionTexts as texts } from "../texts/platform/attribution.ts";
import { costText } from "./operator/cost-text.ts";
import { TenantLink } from "./operator/tenant-link.tsx";

type Row = UsageAttribution["rows"][number] & Partial<CostAttribution["rows"][number]>;

interface AttributionPanelProps {
  queryKey: readonly unknown[];
  read: (by: Attribution) => Promise<UsageAttribution | CostAttribution>;
}

/** Usage of a month by key, member or model; for operators with provider costs. */
export function AttributionPanel({ queryKey, read }: AttributionPanelProps) {
  const [chosen, choose] = useUrlState("split");
  const by = attributions.find((one) => one === chosen) ?? "key";
  const query = useQuery({
    queryKey: [...queryKey, by],
    queryFn: () => read(by),
    placeholderData: keepPreviousData,
  });
  const report = query.data;
  return (
    <Panel
      title={texts.title}
      flush
      actions={
        <>
          <SegmentedControl
            size="xs"
            aria-label={texts.split}
            value={by}
            data={attributions.map((value) => ({ value, label: texts.splits[value] }))}
            onChange={(value) => choose(value === "key" ? "" : value)}
          />
          <Button
            size="xs"
            variant="default"
            disabled={report === undefined}
            onClick={() =>
              report &&
              saveFile(`usage-${report.period}-by-${report.by}.csv`, "text/csv", attributionCsv(report))
            }
          >
            {texts.csv}
          </Button>
        </>
      }
    >
      <Loaded query={query}>{(found) => <Split report={found} />}</Loaded>
    </Panel>
  );
}

function Split({ report }: { report: UsageAttribution | CostAttribution }) {
  const { by, rows, others, total, complete } = report;
  const lines: Row[] = [
    ...rows,
    ...(others === null ? [] : [{ id: "others", name: texts.others, ...others }]),
    { id: "total", name: texts.total, ...total },
  ];
  return (
    <>
      {!complete && <Alert color="yellow">{texts.incomplete}</Alert>}
      {rows.length === 0 ? (
        <p className="ar-panel-body ar-soft">{texts.none}</p>
      ) : (
        <>
          <Text className="ar-panel-body ar-soft">{texts.notes[by]}</Text>
          <PlainTable
            label={texts.title}
            columns={columnsOf(by, total)}
            rows={lines}
            keyOf={({ tenant_id, id, name }) => JSON.stringify([tenant_id, id, name])}
          />
        </>
      )}
    </>
  );
}

function columnsOf(by: Attribution, total: object): PlainColumn<Row>[] {
  const hasCosts = "provider_cost_micros" in total;
  const ofTenants: PlainColumn<Row> = {
    id: "tenant",
    header: texts.tenant,
    cell: ({ tenant_id, tenant_name }) =>
      tenant_id ? <TenantLink id={tenant_id} name={tenant_name ?? tenant_id} /> : null,
  };
  const cost: PlainColumn<Row> = {
    id: "cost",
    header: texts.cost,
    align: "decimal",
    cell: ({ provider_cost_micros = 0, unknown_cost_invocations = 0 }) =>
      costText({ provider_cost_micros, unknown_cost_invocations }),
  };
  return [
    { id: "name", header: texts.names[by], className: "ar-break", cell: ({ name }) => name },
    ...(hasCosts && by !== "model" ? [ofTenants] : []),
    { id: "runs", header: texts.runs, align: "end", cell: ({ invocations }) => formatNumber(invocations) },
    {
      id: "tokens",
      header: texts.tokens,
      align: "end",
      from: "sm",
      cell: ({ tokens_in, tokens_out }) => formatNumber(tokens_in + tokens_out),
    },
    {
      id: "credits",
      header: texts.credits,
      align: "decimal",
      cell: ({ credits_charged_micros }) => creditsText(credits_charged_micros),
    },
    ...(hasCosts ? [cost] : []),
  ];
}
