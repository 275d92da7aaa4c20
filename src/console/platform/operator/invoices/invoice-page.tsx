import { Button, TextInput } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Invoice, InvoiceSummary } from "../../../../contracts/platform/billing/invoices.ts";
import { saveBytes } from "../../../api/save-file.ts";
import { FormDialog } from "../../../parts/dialogs/form-dialog.tsx";
import { MicrosInput } from "../../../parts/inputs/micros-input.tsx";
import { PageHeader } from "../../../parts/layout/page-header.tsx";
import { notify } from "../../../parts/notices.tsx";
import { Loaded } from "../../../parts/states/loaded.tsx";
import { invoiceTexts as texts } from "../../../texts/platform/invoices.ts";
import { usePlatform } from "../../use-platform.ts";
import { InvoiceBadge } from "./invoice-badge.tsx";
import { InvoiceView } from "./invoice-view.tsx";

/** An invoice, to read, print, download, credit and void. */
export function InvoicePage({ id }: { id: string }) {
  const platform = usePlatform();
  const queries = useQueryClient();
  const [dialog, open] = useState<"credit" | "void">();
  const query = useQuery({
    queryKey: ["platform", "invoice", id],
    queryFn: () => platform.getInvoice(id),
  });
  const invoice = query.data;
  const close = () => open(undefined);
  const credited = async (note: InvoiceSummary) => {
    await queries.invalidateQueries({ queryKey: ["platform"] });
    notify(texts.credited(note.number));
  };
  const canCredit = invoice?.kind === "invoice" && invoice.status !== "void";
  return (
    <>
      <PageHeader
        title={invoice?.number ?? texts.invoice}
        up={{ href: `/platform/operator/invoices?period=${invoice?.period ?? ""}`, label: texts.title }}
        mark={invoice && <InvoiceBadge invoice={invoice} />}
      >
        {canCredit && (
          <Button variant="default" onClick={() => open("credit")}>
            {texts.credit}
          </Button>
        )}
        {canCredit && invoice.status === "open" && (
          <Button variant="default" onClick={() => open("void")}>
            {texts.void}
          </Button>
        )}
        <Button
          variant="default"
          onClick={async () =>
            saveBytes(`${invoice?.number ?? id}.pdf`, "application/pdf", await platform.invoicePdf(id))
          }
        >
          {texts.pdf}
        </Button>
        <Button onClick={() => window.print()}>{texts.print}</Button>
      </PageHeader>
      <Loaded query={query}>{(found) => <InvoiceView invoice={found} />}</Loaded>
      {invoice !== undefined && dialog === "credit" && (
        <CreditDialog invoice={invoice} close={close} credited={credited} />
      )}
      {invoice !== undefined && dialog === "void" && (
        <VoidDialog invoice={invoice} close={close} credited={credited} />
      )}
    </>
  );
}

interface DialogProps {
  invoice: Invoice;
  close: () => void;
  credited: (note: InvoiceSummary) => Promise<void>;
}

function CreditDialog({ invoice, close, credited }: DialogProps) {
  const platform = usePlatform();
  const [amount, setAmount] = useState<Parameters<Parameters<typeof MicrosInput>[0]["onChange"]>[0]>(null);
  const [reason, setReason] = useState("");
  return (
    <FormDialog
      title={texts.creditTitle}
      action={texts.creditTitle}
      close={close}
      isComplete={typeof amount === "number" && amount > 0 && reason.trim() !== ""}
      send={async () => {
        const net_micros = typeof amount === "number" ? amount : 0;
        await credited(await platform.createCreditNote(invoice.id, { net_micros, reason: reason.trim() }));
      }}
    >
      <MicrosInput
        label={texts.amount}
        description={texts.creditHint}
        required
        prefix="$"
        value={amount}
        onChange={setAmount}
      />
      <ReasonInput reason={reason} set={setReason} />
    </FormDialog>
  );
}

function VoidDialog({ invoice, close, credited }: DialogProps) {
  const platform = usePlatform();
  const [reason, setReason] = useState("");
  return (
    <FormDialog
      title={texts.voidTitle}
      action={texts.void}
      close={close}
      isComplete={reason.trim() !== ""}
      send={async () => credited(await platform.voidInvoice(invoice.id, reason.trim()))}
    >
      <p>{texts.voidText}</p>
      <ReasonInput reason={reason} set={setReason} />
    </FormDialog>
  );
}

const ReasonInput = ({ reason, set }: { reason: string; set: (reason: string) => void }) => (
  <TextInput
    label={texts.reason}
    required
    maxLength={200}
    value={reason}
    onChange={(event) => set(event.currentTarget.value)}
  />
);
