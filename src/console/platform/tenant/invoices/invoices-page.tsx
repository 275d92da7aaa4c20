import { Anchor, Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import type { InvoiceSummary } from "../../../../contracts/platform/billing/invoices.ts";
import { saveBytes } from "../../../api/save-file.ts";
import { useUrlState } from "../../../parts/address/use-url-state.ts";
import { PageHeader } from "../../../parts/layout/page-header.tsx";
import { EmptyState } from "../../../parts/states/empty-state.tsx";
import { Loaded } from "../../../parts/states/loaded.tsx";
import { CursorTable } from "../../../parts/tables/cursor-table.tsx";
import type { Column } from "../../../parts/tables/data-table.tsx";
import { usdText } from "../../../parts/text/money.ts";
import { invoiceTexts as texts } from "../../../texts/platform/invoices.ts";
import { InvoiceBadge } from "../../operator/invoices/invoice-badge.tsx";
import { InvoiceView } from "../../operator/invoices/invoice-view.tsx";
import { usePlatform } from "../../use-platform.ts";
import { type TenantPageProps, tenantPage } from "../tenant-page.tsx";
import { tenantPaths } from "../tenant-paths.ts";

export default tenantPage(InvoicesPage);

/** The tenant's invoices and credit notes, or one of them. */
function InvoicesPage({ tenant }: TenantPageProps) {
  const [chosen] = useUrlState("invoice");
  const platform = usePlatform(tenant.id);
  if (chosen !== "") return <OwnInvoice tenantId={tenant.id} id={chosen} />;
  return (
    <>
      <PageHeader title={texts.title} lead={texts.ownLead(tenant.displayName)} />
      <CursorTable
        label={texts.title}
        columns={columnsFor(tenant.id)}
        queryKey={["platform", tenant.id, "invoices"]}
        read={(page) => platform.ownInvoices(page)}
        rowsOf={({ invoices }) => invoices}
        keyOf={({ id }) => id}
        empty={<EmptyState text={texts.ownNone} />}
      />
    </>
  );
}

function OwnInvoice({ tenantId, id }: { tenantId: string; id: string }) {
  const platform = usePlatform(tenantId);
  const query = useQuery({
    queryKey: ["platform", tenantId, "invoice", id],
    queryFn: () => platform.ownInvoice(id),
  });
  const invoice = query.data;
  return (
    <>
      <PageHeader
        title={invoice?.number ?? texts.invoice}
        up={{ href: tenantPaths(tenantId).invoices, label: texts.title }}
        mark={invoice && <InvoiceBadge invoice={invoice} />}
      >
        <Button
          variant="default"
          onClick={async () =>
            saveBytes(`${invoice?.number ?? id}.pdf`, "application/pdf", await platform.ownInvoicePdf(id))
          }
        >
          {texts.pdf}
        </Button>
        <Button onClick={() => window.print()}>{texts.print}</Button>
      </PageHeader>
      <Loaded query={query}>{(found) => <InvoiceView invoice={found} />}</Loaded>
    </>
  );
}

const columnsFor = (tenantId: string): readonly Column<InvoiceSummary>[] => [
  {
    id: "number",
    header: texts.number,
    width: "minmax(110px, 1fr)",
    cell: ({ id, number }) => (
      <Anchor component={Link} href={`${tenantPaths(tenantId).invoices}?invoice=${encodeURIComponent(id)}`}>
        {number}
      </Anchor>
    ),
  },
  { id: "period", header: texts.period, width: "90px", from: "sm", cell: ({ period }) => period },
  {
    id: "status",
    header: texts.status,
    width: "120px",
    cell: (invoice) => <InvoiceBadge invoice={invoice} />,
  },
  { id: "due", header: texts.due, width: "110px", from: "sm", cell: ({ due_on }) => due_on },
  {
    id: "total",
    header: texts.total,
    width: "110px",
    align: "end",
    cell: ({ total_micros }) => usdText(total_micros),
  },
  {
    id: "balance",
    header: texts.balance,
    width: "110px",
    align: "end",
    cell: ({ balance_micros }) => usdText(balance_micros),
  },
];
