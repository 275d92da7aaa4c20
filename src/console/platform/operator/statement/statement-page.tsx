import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "wouter";
import type { Statement, StatementCharge } from "../../../../contracts/platform/billing.ts";
import { saveFile } from "../../../api/save-file.ts";
import { usePlatform } from "../../../api/use-server.tsx";
import { EmptyState } from "../../../parts/empty-state.tsx";
import { Figures } from "../../../parts/figures.tsx";
import { formatCredits, formatMicrosUsd, formatNumber } from "../../../parts/format.ts";
import { Loaded } from "../../../parts/loaded.tsx";
import { MonthPicker, useMonth } from "../../../parts/month-picker.tsx";
import { PageHead } from "../../../parts/page-head.tsx";
import { Panel } from "../../../parts/panel.tsx";
import { type PlainColumn, PlainTable } from "../../../parts/plain-table.tsx";
import { StatusBadge } from "../../../parts/status-badge.tsx";
import { operatorTexts as texts } from "../../../texts/platform-runs.ts";

const columns: readonly PlainColumn<StatementCharge>[] = [
  {
    id: "charge",
    header: texts.charge,
    cell: ({ type, description }) => `${texts.chargeTypes[type]}: ${description}`,
  },
  {
    id: "quantity",
    header: texts.quantity,
    align: "end",
    cell: ({ type, quantity }) =>
      type === "creditos_extra" ? formatCredits(quantity) : formatNumber(quantity),
  },
  {
    id: "price",
    header: texts.unitPrice,
    align: "end",
    cell: ({ unit_price_micros }) => formatMicrosUsd(unit_price_micros),
  },
  {
    id: "amount",
    header: texts.amount,
    align: "end",
    cell: ({ amount_micros }) => formatMicrosUsd(amount_micros),
  },
];

/** What a tenant owes for a month: to read, to print, to keep. */
export default function StatementPage() {
  const { id = "" } = useParams<{ id: string }>();
  const platform = usePlatform();
  const [month] = useMonth();
  const tenant = useQuery({
    queryKey: ["platform", "admin", "tenant", id, month],
    queryFn: () => platform.getTenant(id, month),
  });
  const query = useQuery({
    queryKey: ["platform", "statement", id, month],
    queryFn: () => platform.statement(id, month),
  });
  const name = tenant.data?.display_name;
  return (
    <>
      <PageHead
        title={texts.statementTitle(month)}
        lead={name}
        up={{ href: `/platform/operator/tenants/${encodeURIComponent(id)}`, label: name ?? texts.tenant }}
        mark={query.data && !query.data.provisional && <StatusBadge tone="good">{texts.final}</StatusBadge>}
      >
        <MonthPicker />
        <Button
          variant="default"
          onClick={async () => {
            const csv = await platform.statementCsv(id, month);
            saveFile(`statement-${tenant.data?.cr_name ?? id}-${month}.csv`, "text/csv", csv);
          }}
        >
          {texts.csv}
        </Button>
        <Button onClick={() => window.print()}>{texts.print}</Button>
      </PageHead>
      <Loaded query={query}>{(statement) => <StatementView statement={statement} />}</Loaded>
    </>
  );
}

function StatementView({
  statement: { provisional, charges, credits, total_micros },
}: {
  statement: Statement;
}) {
  return (
    <>
      {provisional && <p className="ar-provisional">{texts.provisional}</p>}
      <Figures
        figures={[
          { label: texts.total, value: formatMicrosUsd(total_micros) },
          { label: texts.creditsUsed, value: formatCredits(credits.used_micros) },
          { label: texts.creditsIncluded, value: formatCredits(credits.included_micros) },
          { label: texts.creditsExtra, value: formatCredits(credits.extra_micros) },
        ]}
      />
      {charges.length === 0 ? (
        <EmptyState text={texts.noCharges} />
      ) : (
        <Charges charges={charges} total={total_micros} />
      )}
    </>
  );
}

function Charges({ charges, total }: { charges: readonly StatementCharge[]; total: number }) {
  return (
    <Panel title={texts.charge} flush>
      <PlainTable
        label={texts.charge}
        columns={columns}
        rows={charges}
        keyOf={({ type, description, subscription_id }) => `${type} ${description} ${subscription_id}`}
        foot={{ label: texts.total, value: formatMicrosUsd(total) }}
      />
    </Panel>
  );
}
