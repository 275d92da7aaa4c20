import type { Invoice, Party } from "../../../../contracts/platform/billing/invoices.ts";
import { invoiceSums, printedCharge } from "../../../../contracts/platform/billing/printed-amounts.ts";
import { Facts } from "../../../parts/layout/facts.tsx";
import { Panel } from "../../../parts/layout/panel.tsx";
import { PlainTable } from "../../../parts/tables/plain-table.tsx";
import { invoiceTexts as texts } from "../../../texts/platform/invoices.ts";
import { operatorTexts } from "../../../texts/platform/operator.ts";
import { amountWriter } from "../../amount-writer.ts";

/** What an invoice says. On paper, it stands alone. */
export function InvoiceView({ invoice }: { invoice: Invoice }) {
  const { seller, customer, lines, period, note } = invoice;
  return (
    <article className="ar-invoice ar-stack">
      <Panel title={invoice.kind === "invoice" ? texts.invoice : texts.creditNote}>
        <Facts
          facts={[
            { label: texts.number, value: invoice.number },
            ...(invoice.credits_invoice === null
              ? []
              : [{ label: texts.forInvoice, value: invoice.credits_invoice }]),
            { label: texts.issued, value: invoice.issued_on },
            ...(invoice.kind === "invoice" ? [{ label: texts.due, value: invoice.due_on }] : []),
            { label: texts.period, value: `${period} (UTC)` },
            { label: texts.seller, value: <PartyText party={seller} /> },
            { label: texts.customer, value: <PartyText party={customer} /> },
          ]}
        />
      </Panel>
      <Panel title={operatorTexts.charges} flush>
        <PlainTable
          label={operatorTexts.charges}
          columns={[
            {
              id: "charge",
              header: operatorTexts.charge,
              cell: (line) => `${operatorTexts.chargeTypes[line.type]}: ${line.description}`,
            },
            {
              id: "quantity",
              header: operatorTexts.quantity,
              align: "end",
              cell: (line) => printedCharge(line, period, amountWriter).quantity,
            },
            {
              id: "price",
              header: operatorTexts.unitPrice,
              align: "decimal",
              cell: (line) => printedCharge(line, period, amountWriter).unitPrice,
            },
            {
              id: "amount",
              header: operatorTexts.amount,
              align: "decimal",
              cell: (line) => printedCharge(line, period, amountWriter).amount,
            },
          ]}
          rows={lines}
          keyOf={(line) => String(lines.indexOf(line))}
        />
      </Panel>
      <Panel title={texts.total} flush>
        <PlainTable
          label={texts.total}
          columns={[
            { id: "label", header: texts.total, hidesHeader: true, cell: ({ label }) => label },
            {
              id: "sum",
              header: operatorTexts.amount,
              align: "decimal",
              cell: ({ amount, isTotal }) => (isTotal ? <strong>{amount}</strong> : amount),
            },
          ]}
          rows={invoiceSums(invoice, amountWriter)}
          keyOf={({ label }) => label}
        />
      </Panel>
      {note !== "" && <p className="ar-invoice-lines">{note}</p>}
      {invoice.kind === "invoice" && seller.payment !== "" && (
        <Panel title={texts.payment}>
          <p className="ar-invoice-lines">{seller.payment}</p>
        </Panel>
      )}
    </article>
  );
}

const PartyText = ({ party }: { party: Party }) => (
  <span className="ar-invoice-lines">
    {[party.name, party.address, party.tax_id, party.email].filter((text) => text !== "").join("\n")}
  </span>
);
