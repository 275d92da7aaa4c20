import type { InvoiceSummary } from "../../../../contracts/platform/billing/invoices.ts";
import { StatusBadge } from "../../../parts/text/status-badge.tsx";
import { invoiceTexts as texts } from "../../../texts/platform/invoices.ts";

const tones = { open: "accent", paid: "good", void: "plain" } as const;

/** Says whether an invoice is open, overdue, paid or void. */
export function InvoiceBadge({ invoice }: { invoice: InvoiceSummary }) {
  if (invoice.kind === "credit_note") return <StatusBadge tone="plain">{texts.creditNote}</StatusBadge>;
  if (invoice.overdue) return <StatusBadge tone="warn">{texts.overdue}</StatusBadge>;
  return <StatusBadge tone={tones[invoice.status]}>{texts.statuses[invoice.status]}</StatusBadge>;
}
