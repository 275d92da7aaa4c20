import { Anchor, Button, Checkbox } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "wouter";
import type { InvoiceSummary } from "../../../../contracts/platform/billing/invoices.ts";
import { saveFile } from "../../../api/save-file.ts";
import { useUrlState } from "../../../parts/address/use-url-state.ts";
import { Confirm } from "../../../parts/dialogs/confirm.tsx";
import { MonthPicker, useMonth } from "../../../parts/inputs/month-picker.tsx";
import { Figures } from "../../../parts/layout/figures.tsx";
import { PageHeader } from "../../../parts/layout/page-header.tsx";
import { Panel } from "../../../parts/layout/panel.tsx";
import { notify } from "../../../parts/notices.tsx";
import { EmptyState } from "../../../parts/states/empty-state.tsx";
import { Loaded } from "../../../parts/states/loaded.tsx";
import { type PlainColumn, PlainTable } from "../../../parts/tables/plain-table.tsx";
import { usdText } from "../../../parts/text/money.ts";
import { invoiceTexts as texts } from "../../../texts/platform/invoices.ts";
import { usePlatform } from "../../use-platform.ts";
import { TenantLink } from "../tenant-link.tsx";
import { InvoiceBadge } from "./invoice-badge.tsx";
import { InvoicePage } from "./invoice-page.tsx";
import { SettingsDialog } from "./settings-dialog.tsx";

/** One invoice, or those of all tenants for a month. */
export default function InvoicesPage() {
  const [invoice] = useUrlState("invoice");
  return invoice === "" ? <MonthPage /> : <InvoicePage id={invoice} />;
}

/** Invoices of a month: to issue, download and mark as paid. */
function MonthPage() {
  const platform = usePlatform();
  const queries = useQueryClient();
  const [month] = useMonth();
  const [dialog, open] = useState<"run" | "settings">();
  const [chosen, choose] = useState<ReadonlySet<string>>(new Set());
  const query = useQuery({
    queryKey: ["platform", "invoices", month],
    queryFn: () => platform.listInvoices({ period: month }),
  });
  const refresh = () => queries.invalidateQueries({ queryKey: ["platform"] });
  const close = () => open(undefined);
  const toggle = (id: string) =>
    choose((now) => new Set(now.has(id) ? [...now].filter((each) => each !== id) : [...now, id]));
  return (
    <>
      <PageHeader title={texts.title} lead={texts.lead}>
        <MonthPicker />
        <Button variant="default" onClick={() => open("settings")}>
          {texts.settings}
        </Button>
        <Button
          variant="default"
          onClick={async () =>
            saveFile(`invoices-${month}.csv`, "text/csv", await platform.invoicesCsv({ period: month }))
          }
        >
          {texts.csv}
        </Button>
        {chosen.size > 0 && (
          <Button
            variant="default"
            onClick={async () => {
              const { paid } = await platform.markInvoicesPaid({ ids: [...chosen] });
              choose(new Set());
              await refresh();
              notify(texts.marked(paid.length));
            }}
          >
            {texts.markPaid(chosen.size)}
          </Button>
        )}
        <Button onClick={() => open("run")}>{texts.run}</Button>
      </PageHeader>
      <Loaded query={query}>
        {({ invoices, totals }) =>
          invoices.length === 0 ? (
            <EmptyState text={texts.none} />
          ) : (
            <>
              <Figures
                figures={[
                  { label: texts.total, value: usdText(totals.total_micros) },
                  { label: texts.tax, value: usdText(totals.tax_micros) },
                  { label: texts.balance, value: usdText(totals.balance_micros) },
                ]}
              />
              <Panel title={texts.title} flush>
                <PlainTable
                  label={texts.title}
                  columns={columnsWith(chosen, toggle)}
                  rows={invoices}
                  keyOf={({ id }) => id}
                />
              </Panel>
            </>
          )
        }
      </Loaded>
      <Confirm
        title={texts.runTitle(month)}
        text={texts.runText}
        action={texts.run}
        opened={dialog === "run"}
        onClose={close}
        onConfirm={async () => {
          const { created, refused } = await platform.runInvoices({ period: month });
          await refresh();
          notify(texts.ran(created.length));
          const [first] = refused;
          if (first !== undefined) throw new Error(`${texts.refused(refused.length)} ${first.message}`);
        }}
      />
      {dialog === "settings" && <SettingsDialog close={close} />}
    </>
  );
}

function columnsWith(
  chosen: ReadonlySet<string>,
  toggle: (id: string) => void,
): readonly PlainColumn<InvoiceSummary>[] {
  return [
    {
      id: "select",
      header: texts.selected,
      hidesHeader: true,
      cell: ({ id, number, kind, status }) =>
        kind === "invoice" && status === "open" ? (
          <Checkbox aria-label={texts.select(number)} checked={chosen.has(id)} onChange={() => toggle(id)} />
        ) : null,
    },
    {
      id: "number",
      header: texts.number,
      cell: ({ id, number, period }) => (
        <Anchor component={Link} href={`/platform/operator/invoices?period=${period}&invoice=${id}`}>
          {number}
        </Anchor>
      ),
    },
    {
      id: "tenant",
      header: texts.tenant,
      cell: ({ tenant_id, tenant_name }) => <TenantLink id={tenant_id} name={tenant_name} />,
    },
    { id: "status", header: texts.status, cell: (invoice) => <InvoiceBadge invoice={invoice} /> },
    { id: "due", header: texts.due, from: "sm", cell: ({ due_on }) => due_on },
    {
      id: "balance",
      header: texts.balance,
      align: "decimal",
      from: "sm",
      cell: ({ balance_micros }) => usdText(balance_micros),
    },
    {
      id: "total",
      header: texts.total,
      align: "decimal",
      cell: ({ total_micros }) => usdText(total_micros),
    },
  ];
}
