import { Button, Group, Textarea, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { InvoiceCustomer } from "../../../../contracts/platform/billing/invoices.ts";
import { percentText } from "../../../../contracts/platform/billing/printed-amounts.ts";
import { FormDialog } from "../../../parts/dialogs/form-dialog.tsx";
import { areReadable, enteredNumber, type NumberEntry } from "../../../parts/inputs/number-entry.ts";
import { NumberField } from "../../../parts/inputs/number-field.tsx";
import { Facts } from "../../../parts/layout/facts.tsx";
import { Panel } from "../../../parts/layout/panel.tsx";
import { notify } from "../../../parts/notices.tsx";
import { Loaded } from "../../../parts/states/loaded.tsx";
import { invoiceTexts as texts } from "../../../texts/platform/invoices.ts";
import { amountWriter } from "../../amount-writer.ts";
import { usePlatform } from "../../use-platform.ts";

/** What a tenant's invoices say about the customer, and their taxes. */
export function CustomerPanel({ tenantId }: { tenantId: string }) {
  const platform = usePlatform();
  const [isEditing, edit] = useDisclosure(false);
  const query = useQuery({
    queryKey: ["platform", "admin", "invoice-customer", tenantId],
    queryFn: () => platform.invoiceCustomer(tenantId),
  });
  return (
    <Panel
      title={texts.customerTitle}
      actions={
        <Button size="xs" variant="default" disabled={query.data === undefined} onClick={edit.open}>
          {texts.edit}
        </Button>
      }
    >
      <Loaded query={query} rows={3}>
        {({ customer, taxes, due_days, note }) => (
          <Facts
            facts={[
              { label: texts.name, value: customer.name },
              {
                label: texts.address,
                value: <span className="ar-invoice-lines">{customer.address || "–"}</span>,
              },
              { label: texts.taxId, value: customer.tax_id || "–" },
              { label: texts.email, value: customer.email || "–" },
              {
                label: texts.taxes,
                value:
                  taxes.map((tax) => `${tax.name}: ${percentText(tax.rate_ppm, amountWriter)}`).join(", ") ||
                  "–",
              },
              { label: texts.dueDays, value: due_days ?? texts.asSeller },
              ...(note === "" ? [] : [{ label: texts.note, value: note }]),
            ]}
          />
        )}
      </Loaded>
      {isEditing && query.data !== undefined && (
        <CustomerDialog tenantId={tenantId} details={query.data} close={edit.close} />
      )}
    </Panel>
  );
}

interface TaxForm {
  key: number;
  name: string;
  rate: NumberEntry;
}

const taxesMax = 5;
/** Percent with four decimals, stored as parts per million. */
const rateRules = { decimals: 4, scale: 4, min: 0, max: 1_000_000 };

function CustomerDialog({
  tenantId,
  details,
  close,
}: {
  tenantId: string;
  details: InvoiceCustomer;
  close: () => void;
}) {
  const platform = usePlatform();
  const queries = useQueryClient();
  const [customer, setCustomer] = useState(details.customer);
  const [taxes, setTaxes] = useState<readonly TaxForm[]>(
    details.taxes.map(({ name, rate_ppm }, key) => ({ key, name, rate: rate_ppm })),
  );
  const [dueDays, setDueDays] = useState<NumberEntry>(details.due_days);
  const [note, setNote] = useState(details.note);
  const field = (name: "name" | "tax_id" | "email", label: string) => (
    <TextInput
      label={label}
      required={name === "name"}
      maxLength={200}
      value={customer[name]}
      onChange={(event) => setCustomer({ ...customer, [name]: event.currentTarget.value })}
    />
  );
  const setTax = (key: number, change: Partial<TaxForm>) =>
    setTaxes(taxes.map((tax) => (tax.key === key ? { ...tax, ...change } : tax)));
  const areTaxes = taxes.every(({ name, rate }) => name.trim() !== "" && rate !== null);
  return (
    <FormDialog
      title={texts.customerTitle}
      action={texts.save}
      size="lg"
      close={close}
      isComplete={
        customer.name.trim() !== "" && areTaxes && areReadable([dueDays, ...taxes.map(({ rate }) => rate)])
      }
      send={async () => {
        await platform.putInvoiceCustomer(tenantId, {
          customer,
          taxes: taxes.map(({ name, rate }) => ({ name: name.trim(), rate_ppm: enteredNumber(rate) ?? 0 })),
          due_days: enteredNumber(dueDays),
          note,
        });
        await queries.invalidateQueries({ queryKey: ["platform", "admin", "invoice-customer", tenantId] });
        notify(texts.customerSaved);
      }}
    >
      {field("name", texts.name)}
      <Textarea
        label={texts.address}
        autosize
        maxLength={1000}
        value={customer.address}
        onChange={(event) => setCustomer({ ...customer, address: event.currentTarget.value })}
      />
      {field("tax_id", texts.taxId)}
      {field("email", texts.email)}
      {taxes.map(({ key, name, rate }, index) => (
        <Group key={key} align="end" wrap="nowrap">
          <TextInput
            label={texts.taxName(index + 1)}
            placeholder={texts.taxExample}
            required
            maxLength={60}
            value={name}
            onChange={(event) => setTax(key, { name: event.currentTarget.value })}
          />
          <NumberField
            label={texts.taxRate(index + 1)}
            required
            rules={rateRules}
            format={(ppm) => String(ppm / 10_000)}
            value={rate}
            onChange={(entered) => setTax(key, { rate: entered })}
          />
          <Button
            variant="default"
            aria-label={texts.removeTaxOf(name)}
            onClick={() => setTaxes(taxes.filter((tax) => tax.key !== key))}
          >
            {texts.removeTax}
          </Button>
        </Group>
      ))}
      {taxes.length < taxesMax && (
        <Button
          variant="default"
          onClick={() =>
            setTaxes([
              ...taxes,
              { key: 1 + Math.max(-1, ...taxes.map(({ key }) => key)), name: "", rate: null },
            ])
          }
        >
          {texts.addTax}
        </Button>
      )}
      <NumberField
        label={texts.dueDays}
        description={texts.dueDaysHint}
        rules={{ decimals: 0, min: 0, max: 365 }}
        value={dueDays}
        onChange={setDueDays}
      />
      <Textarea
        label={texts.note}
        autosize
        maxLength={1000}
        value={note}
        onChange={(event) => setNote(event.currentTarget.value)}
      />
    </FormDialog>
  );
}
