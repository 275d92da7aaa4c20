import { Textarea, TextInput } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { InvoiceSettings } from "../../../../contracts/platform/billing/invoices.ts";
import { FormDialog } from "../../../parts/dialogs/form-dialog.tsx";
import { LoadedDialog } from "../../../parts/dialogs/loaded-dialog.tsx";
import { NumberField } from "../../../parts/inputs/number-field.tsx";
import { notify } from "../../../parts/notices.tsx";
import { invoiceTexts as texts } from "../../../texts/platform/invoices.ts";
import { usePlatform } from "../../use-platform.ts";

/** The seller of later invoices, and how they are numbered. */
export function SettingsDialog({ close }: { close: () => void }) {
  const platform = usePlatform();
  const query = useQuery({ queryKey: ["platform", "invoice-settings"], queryFn: platform.invoiceSettings });
  return (
    <LoadedDialog title={texts.settings} query={query} close={close}>
      {(settings) => <SettingsForm settings={settings} close={close} />}
    </LoadedDialog>
  );
}

const partyFields = [
  ["name", texts.name],
  ["tax_id", texts.taxId],
  ["email", texts.email],
] as const;

function SettingsForm({ settings, close }: { settings: InvoiceSettings; close: () => void }) {
  const platform = usePlatform();
  const queries = useQueryClient();
  const [form, setForm] = useState(settings);
  const set = (change: Partial<InvoiceSettings>) => setForm((now) => ({ ...now, ...change }));
  const setSeller = (change: Partial<InvoiceSettings["seller"]>) =>
    setForm((now) => ({ ...now, seller: { ...now.seller, ...change } }));
  return (
    <FormDialog
      title={texts.settings}
      action={texts.settings}
      size="lg"
      close={close}
      isComplete={form.seller.name.trim() !== ""}
      send={async () => {
        await platform.putInvoiceSettings(form);
        await queries.invalidateQueries({ queryKey: ["platform", "invoice-settings"] });
        notify(texts.saved);
      }}
    >
      {partyFields.map(([name, label]) => (
        <TextInput
          key={name}
          label={label}
          required={name === "name"}
          maxLength={200}
          value={form.seller[name]}
          onChange={(event) => setSeller({ [name]: event.currentTarget.value })}
        />
      ))}
      <Textarea
        label={texts.address}
        autosize
        maxLength={1000}
        value={form.seller.address}
        onChange={(event) => setSeller({ address: event.currentTarget.value })}
      />
      <Textarea
        label={texts.payment}
        description={texts.paymentHint}
        autosize
        maxLength={1000}
        value={form.seller.payment}
        onChange={(event) => setSeller({ payment: event.currentTarget.value })}
      />
      <TextInput
        label={texts.range}
        description={texts.rangeHint}
        value={form.invoice_range}
        onChange={(event) => set({ invoice_range: event.currentTarget.value })}
      />
      <TextInput
        label={texts.creditRange}
        value={form.credit_note_range}
        onChange={(event) => set({ credit_note_range: event.currentTarget.value })}
      />
      <NumberField
        label={texts.dueDays}
        rules={{ decimals: 0, min: 0, max: 365 }}
        value={form.due_days}
        onChange={(value) => typeof value === "number" && set({ due_days: value })}
      />
    </FormDialog>
  );
}
