import { writeFile } from "node:fs/promises";
import { Command, InvalidArgumentError, Option } from "commander";
import { usdText } from "../../contracts/amounts.ts";
import type {
  Invoice,
  InvoiceList,
  InvoiceStatus,
  InvoiceSummary,
} from "../../contracts/platform/billing/invoices.ts";
import { invoiceSums } from "../../contracts/platform/billing/printed-amounts.ts";
import type { CommandCall, Perform } from "../call.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { amount, requireYes, wholeNumber, yesOption } from "../option-values.ts";
import { paint } from "../terminal/paint.ts";
import { usageError } from "../terminal/report-error.ts";
import { month } from "./billing.ts";
import { invoiceSettingCommands } from "./invoice-settings.ts";
import {
  type PlatformOptions,
  platformCommand,
  tenantCommand,
  withOperator,
  withTenant,
} from "./with-platform.ts";

/** `own`: the tenant's invoices, for its member or key. */
interface OwnOptions extends PlatformOptions {
  own?: boolean;
}

interface ListOptions extends OwnOptions {
  period?: string;
  status?: InvoiceStatus;
  overdue?: boolean;
  csv?: boolean;
  limit?: number;
  cursor?: string;
}

interface RunOptions extends PlatformOptions {
  period: string;
}

interface ShowOptions extends OwnOptions {
  form?: "html" | "pdf";
  out?: string;
}

interface PaidOptions extends PlatformOptions {
  on?: string;
}

interface ReasonOptions extends PlatformOptions {
  reason: string;
  net?: number;
  yes?: boolean;
}

const ownHelp = "of a tenant, as its member or with its API key";

const statuses: readonly InvoiceStatus[] = ["open", "paid", "void"];

export function invoicesCommand(perform: Perform): Command {
  const command = new Command("invoices")
    .description("issue and manage invoices (operators)")
    .addCommand(
      tenantCommand("list", "list invoices and credit notes, of one tenant or all")
        .option("--own", ownHelp)
        .option("--period <month>", "YYYY-MM (every month)", month)
        .addOption(new Option("--status <status>", "only this status").choices(statuses))
        .option("--overdue", "only what is open after its due date")
        .option("--csv", "print CSV")
        .option("--limit <count>", "number of rows, 1 to 200 (50)", wholeNumber(200))
        .option("--cursor <cursor>", "`next_cursor` of the previous page")
        .action((options: ListOptions, self: Command) => perform(self, (call) => list(call, options))),
      { isDefault: true },
    )
    .addCommand(
      tenantCommand("run", "issue the invoices of a closed month, of one tenant or all")
        .requiredOption("--period <month>", "YYYY-MM", month)
        .action((options: RunOptions, self: Command) => perform(self, (call) => run(call, options))),
    )
    .addCommand(
      tenantCommand("show", "print an invoice, or write it as a page or PDF")
        .argument("<id>", "an invoice's id")
        .option("--own", ownHelp)
        .addOption(new Option("--form <form>", "format of the file").choices(["html", "pdf"]))
        .option("--out <file>", "file to write (a page: standard output)")
        .action((id: string, options: ShowOptions, self: Command) =>
          perform(self, (call) => show(call, id, options)),
        ),
    )
    .addCommand(
      platformCommand("paid", "mark invoices as paid")
        .argument("<ids...>", "ids of invoices")
        .option("--on <day>", "day of the payment, such as 2026-03-10 (today, UTC)", day)
        .action((ids: string[], options: PaidOptions, self: Command) =>
          perform(self, (call) => paid(call, ids, options)),
        ),
    )
    .addCommand(
      platformCommand("credit", "issue a credit note for a part of an invoice")
        .argument("<id>", "an invoice's id")
        .requiredOption("--net <amount>", "net amount in USD, such as 12.50", amount)
        .requiredOption("--reason <text>", "shown on the credit note")
        .action((id: string, options: ReasonOptions, self: Command) =>
          perform(self, (call) => credit(call, id, options)),
        ),
    )
    .addCommand(
      platformCommand("void", "void an open invoice by a credit note")
        .argument("<id>", "an invoice's id")
        .requiredOption("--reason <text>", "shown on the credit note")
        .addOption(yesOption())
        .action((id: string, options: ReasonOptions, self: Command) =>
          perform(self, (call) => voidOne(call, id, options)),
        ),
    );
  for (const inner of invoiceSettingCommands(perform)) command.addCommand(inner);
  return command;
}

function day(text: string): string {
  if (/^2\d{3}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/.test(text)) return text;
  throw new InvalidArgumentError("It must be a day such as 2026-03-10.");
}

async function list(call: CommandCall, options: ListOptions): Promise<ExitCode> {
  const { screen } = call;
  const { url: _, tenant, csv, overdue, own, ...query } = options;
  if (own === true) return listOwn(call, options);
  return withOperator(call, options, async (client, findTenant) => {
    const of = tenant === undefined ? {} : { tenant_id: await findTenant() };
    const asked = { limit: 50, ...query, ...of, ...(overdue === true && { overdue: "true" as const }) };
    if (csv === true) {
      const text = await client.invoicesCsv({ ...asked, limit: query.limit ?? 10_000 });
      if (screen.json) screen.document({ form: "csv", text });
      else screen.write(text);
      return exitCodes.ok;
    }
    printList(
      call,
      await client.listInvoices(asked),
      "Issue those of a closed month with `argosy platform invoices run`.",
    );
    return exitCodes.ok;
  });
}

async function listOwn(call: CommandCall, options: ListOptions): Promise<ExitCode> {
  const { period, limit = 50, cursor, status, overdue, csv } = options;
  if (status !== undefined || overdue === true || csv === true)
    throw usageError("--own lists every invoice of the tenant.", "Leave out --status, --overdue and --csv.");
  const asked = { limit, ...(period !== undefined && { period }), ...(cursor !== undefined && { cursor }) };
  const invoices = await withTenant(call, options, (client) => client.ownInvoices(asked));
  printList(call, invoices, "They are issued when a month has closed.");
  return exitCodes.ok;
}

function printList(call: CommandCall, list: InvoiceList, hintIfNone: string): void {
  const { screen } = call;
  const { invoices, totals, next_cursor } = list;
  if (screen.json) screen.document(list);
  else if (invoices.length === 0) screen.say(`No invoices. ${hintIfNone}`);
  else {
    printTable(call, invoices);
    screen.fields([
      ["net", usdText(totals.net_micros)],
      ["tax", usdText(totals.tax_micros)],
      ["total", paint("bold", usdText(totals.total_micros))],
      ["open", usdText(totals.balance_micros)],
    ]);
    if (next_cursor !== undefined) screen.say(`More rows: --cursor ${next_cursor}`);
  }
}

/** Reads of one invoice, by an operator or by the tenant that it is for. */
interface InvoiceReads {
  get: (id: string) => Promise<Invoice>;
  html: (id: string) => Promise<string>;
  pdf: (id: string) => Promise<Uint8Array>;
}

const withInvoices = <T>(
  call: CommandCall,
  options: OwnOptions,
  use: (reads: InvoiceReads) => Promise<T>,
): Promise<T> =>
  options.own === true
    ? withTenant(call, options, (client) =>
        use({ get: client.ownInvoice, html: client.ownInvoiceHtml, pdf: client.ownInvoicePdf }),
      )
    : withOperator(call, options, (client) =>
        use({ get: client.getInvoice, html: client.invoiceHtml, pdf: client.invoicePdf }),
      );

function printTable({ screen }: CommandCall, invoices: readonly InvoiceSummary[]): void {
  screen.table(
    ["INVOICE", "NUMBER", "MONTH", "TENANT", "TOTAL", "OPEN", "STATUS", "DUE"],
    invoices.map((one) => [
      one.id,
      paint("bold", one.number),
      one.period,
      one.tenant_name,
      usdText(one.total_micros),
      usdText(one.balance_micros),
      statusOf(one),
      one.due_on,
    ]),
  );
}

function statusOf(one: InvoiceSummary): string {
  if (one.kind === "credit_note") return `credits ${one.credits_invoice}`;
  return one.overdue ? "overdue" : one.status;
}

async function run(call: CommandCall, options: RunOptions): Promise<ExitCode> {
  const { screen } = call;
  const { period } = options;
  return withOperator(call, options, async (client, findTenant) => {
    const of = options.tenant === undefined ? {} : { tenant_ids: [await findTenant()] };
    const done = await client.runInvoices({ period, ...of });
    // A refused tenant would be refused again, so only what is left asks for another call.
    for (let left = done.left; left > 0; ) {
      const more = await client.runInvoices({ period, ...of });
      done.created.push(...more.created);
      if (more.left >= left || more.created.length === 0) break;
      left = more.left;
      done.left = left;
    }
    if (screen.json) screen.document(done);
    else {
      if (done.created.length > 0) printTable(call, done.created);
      for (const { id, message } of done.refused) screen.say(`${id}: ${message}`);
      screen.say(`Issued ${done.created.length} invoices of ${period}.`);
    }
    return done.refused.length === 0 ? exitCodes.ok : exitCodes.failed;
  });
}

async function show(call: CommandCall, id: string, options: ShowOptions): Promise<ExitCode> {
  const { screen } = call;
  const { form, out, own, tenant } = options;
  if (tenant !== undefined && own !== true)
    throw usageError("--tenant goes with --own.", "An operator names an invoice by its id alone.");
  return withInvoices(call, options, async (reads) => {
    if (form === "html") {
      const text = await reads.html(id);
      if (out !== undefined) await writeFile(out, text);
      else if (screen.json) screen.document({ id, form, text });
      else screen.write(text);
      return exitCodes.ok;
    }
    if (form === "pdf") {
      const file = out ?? `${(await reads.get(id)).number.replaceAll(/[^\w.-]/g, "_")}.pdf`;
      await writeFile(file, await reads.pdf(id));
      if (screen.json) screen.document({ id, form, file });
      else screen.say(`Wrote ${file}.`);
      return exitCodes.ok;
    }
    const invoice = await reads.get(id);
    if (screen.json) {
      screen.document(invoice);
      return exitCodes.ok;
    }
    screen.table(
      ["AMOUNT", "CHARGE", "DESCRIPTION"],
      invoice.lines.map((line) => [usdText(line.amount_micros), line.type, line.description]),
    );
    screen.fields([
      ["number", paint("bold", invoice.number)],
      ["customer", invoice.customer.name],
      ["month", invoice.period],
      ["status", statusOf(invoice)],
      ["issued", invoice.issued_on],
      ["due", invoice.due_on],
      ...invoiceSums(invoice).map(({ label, amount: sum }) => [label.toLowerCase(), sum] as const),
    ]);
    return exitCodes.ok;
  });
}

async function paid(call: CommandCall, ids: readonly string[], options: PaidOptions): Promise<ExitCode> {
  const { screen } = call;
  const { on } = options;
  const marks = await withOperator(call, options, (client) =>
    client.markInvoicesPaid({ ids: [...ids], ...(on === undefined ? {} : { paid_on: on }) }),
  );
  if (screen.json) screen.document(marks);
  else {
    for (const { number, paid_on } of marks.paid) screen.say(`${number} was paid on ${paid_on}.`);
    for (const { id, message } of marks.refused) screen.say(`${id}: ${message}`);
  }
  return marks.refused.length === 0 ? exitCodes.ok : exitCodes.failed;
}

async function credit(call: CommandCall, id: string, options: ReasonOptions): Promise<ExitCode> {
  const { reason, net = 0 } = options;
  const note = await withOperator(call, options, (client) =>
    client.createCreditNote(id, { net_micros: net, reason }),
  );
  return printNote(call, note);
}

async function voidOne(call: CommandCall, id: string, options: ReasonOptions): Promise<ExitCode> {
  requireYes(options, `This would void the invoice ${id} by a credit note.`);
  return printNote(
    call,
    await withOperator(call, options, (client) => client.voidInvoice(id, options.reason)),
  );
}

function printNote({ screen }: CommandCall, note: InvoiceSummary): ExitCode {
  if (screen.json) screen.document(note);
  else screen.say(`Credit note ${note.number}: ${usdText(note.total_micros)}.`);
  return exitCodes.ok;
}
