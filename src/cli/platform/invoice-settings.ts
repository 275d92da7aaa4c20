import { type Command, InvalidArgumentError } from "commander";
import type { InvoiceCustomer, InvoiceSettings } from "../../contracts/platform/billing/invoices.ts";
import { percentText } from "../../contracts/platform/billing/printed-amounts.ts";
import type { CommandCall, Perform } from "../call.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { gather, wholeNumber } from "../option-values.ts";
import { type PlatformOptions, platformCommand, tenantCommand, withOperator } from "./with-platform.ts";

interface PartyOptions extends PlatformOptions {
  name?: string;
  address?: string;
  taxId?: string;
  email?: string;
  dueDays?: number;
}

interface SellerOptions extends PartyOptions {
  payment?: string;
  invoiceRange?: string;
  creditNoteRange?: string;
}

interface CustomerOptions extends PartyOptions {
  tax?: string[];
  note?: string;
}

const withParty = (command: Command) =>
  command
    .option("--name <text>", "legal name")
    .option("--address <text>", "address; \\n begins a line")
    .option("--tax-id <text>", "tax number")
    .option("--email <address>", "e-mail for questions")
    .option("--due-days <count>", "days until the due date, 1 to 365", wholeNumber(365));

export const invoiceSettingCommands = (perform: Perform): Command[] => [
  withParty(platformCommand("seller", "show or set the seller and how invoices are numbered"))
    .option("--payment <text>", "how to pay, such as bank details")
    .option("--invoice-range <text>", "text before the number, such as INV-{year}-")
    .option("--credit-note-range <text>", "the same of credit notes")
    .action((options: SellerOptions, command: Command) => perform(command, (call) => seller(call, options))),
  withParty(tenantCommand("customer", "show or set what a tenant's invoices say, and its taxes"))
    .option("--tax <name=percent>", "a tax, such as VAT=21; repeatable; none= for no tax", gather)
    .option("--note <text>", "text on each invoice")
    .action((options: CustomerOptions, command: Command) =>
      perform(command, (call) => customer(call, options)),
    ),
];

const linesOf = (text: string) => text.replaceAll("\\n", "\n");

const changeOf = ({ name, address, taxId, email }: PartyOptions) => ({
  ...(name !== undefined && { name }),
  ...(address !== undefined && { address: linesOf(address) }),
  ...(taxId !== undefined && { tax_id: taxId }),
  ...(email !== undefined && { email }),
});

async function seller(call: CommandCall, options: SellerOptions): Promise<ExitCode> {
  const { payment, invoiceRange, creditNoteRange, dueDays } = options;
  const own = changeOf(options);
  const party = { ...own, ...(payment !== undefined && { payment: linesOf(payment) }) };
  const change = {
    ...(invoiceRange !== undefined && { invoice_range: invoiceRange }),
    ...(creditNoteRange !== undefined && { credit_note_range: creditNoteRange }),
    ...(dueDays !== undefined && { due_days: dueDays }),
  };
  return withOperator(call, options, async (client) => {
    const now = await client.invoiceSettings();
    const isSet = Object.keys({ ...party, ...change }).length > 0;
    const next = { ...now, ...change, seller: { ...now.seller, ...party } };
    printSettings(call, isSet ? await client.putInvoiceSettings(next) : now);
    return exitCodes.ok;
  });
}

function printSettings({ screen }: CommandCall, settings: InvoiceSettings): void {
  if (screen.json) {
    screen.document(settings);
    return;
  }
  const { seller: party, invoice_range, credit_note_range, due_days } = settings;
  screen.fields([
    ["seller", party.name],
    ["address", party.address],
    ["tax number", party.tax_id],
    ["e-mail", party.email],
    ["payment", party.payment],
    ["invoices", invoice_range],
    ["credit notes", credit_note_range],
    ["due days", String(due_days)],
  ]);
}

async function customer(call: CommandCall, options: CustomerOptions): Promise<ExitCode> {
  const { tax, note, dueDays } = options;
  const party = changeOf(options);
  const change = {
    ...(tax !== undefined && { taxes: tax.flatMap(taxOf) }),
    ...(note !== undefined && { note: linesOf(note) }),
    ...(dueDays !== undefined && { due_days: dueDays }),
  };
  return withOperator(call, options, async (client, findTenant) => {
    const tenantId = await findTenant();
    const now = await client.invoiceCustomer(tenantId);
    const isSet = Object.keys({ ...party, ...change }).length > 0;
    const next = { ...now, ...change, customer: { ...now.customer, ...party } };
    printCustomer(call, isSet ? await client.putInvoiceCustomer(tenantId, next) : now);
    return exitCodes.ok;
  });
}

function printCustomer({ screen }: CommandCall, details: InvoiceCustomer): void {
  if (screen.json) {
    screen.document(details);
    return;
  }
  const { customer: party, taxes, due_days, note } = details;
  screen.fields([
    ["customer", party.name],
    ["address", party.address],
    ["tax number", party.tax_id],
    ["e-mail", party.email],
    ["taxes", taxes.map(({ name, rate_ppm }) => `${name} ${percentText(rate_ppm)}`).join(", ")],
    ["due days", due_days === null ? "as the seller's" : String(due_days)],
    ["note", note],
  ]);
}

/** Parses `VAT=21` or `VAT=5.5`; `none=` is no tax. */
function taxOf(text: string): { name: string; rate_ppm: number }[] {
  if (text === "none=") return [];
  const [, name = "", whole = "", part = ""] = /^(.{1,60})=(\d{1,3})(?:\.(\d{1,4}))?$/.exec(text) ?? [];
  const rate_ppm = Number(`${whole}${part.padEnd(4, "0")}`);
  if (name !== "" && rate_ppm <= 1_000_000) return [{ name, rate_ppm }];
  throw new InvalidArgumentError("It must be a name and percent, such as VAT=21.");
}
