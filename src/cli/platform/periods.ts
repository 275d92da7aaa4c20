import { Command, Option } from "commander";
import { usdText } from "../../contracts/amounts.ts";
import type { BillingPeriod } from "../../contracts/platform/billing/billing.ts";
import type { CommandCall, Perform } from "../call.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { requireYes, wholeNumber, yesOption } from "../option-values.ts";
import { paint } from "../terminal/paint.ts";
import { month } from "./billing.ts";
import { type PlatformOptions, platformCommand, tenantCommand, withOperator } from "./with-platform.ts";

interface PageOptions extends PlatformOptions {
  limit?: number;
  cursor?: string;
}

interface ListOptions extends PageOptions {
  period?: string;
  status?: BillingPeriod["status"];
}

interface InvoiceOptions extends PlatformOptions {
  yes?: boolean;
}

const statuses: readonly BillingPeriod["status"][] = ["open", "closed", "facturado"];

export const periodsCommand = (perform: Perform) =>
  new Command("periods")
    .description("manage billing periods (operators)")
    .addCommand(
      tenantCommand("list", "list billing periods, of one tenant or all")
        .option("--period <month>", "YYYY-MM (every month)", month)
        .addOption(new Option("--status <status>", "only this status").choices(statuses))
        .option("--limit <count>", "number of rows, 1 to 200 (50)", wholeNumber(200))
        .option("--cursor <cursor>", "`next_cursor` of the previous page")
        .action((options: ListOptions, command: Command) => perform(command, (call) => list(call, options))),
      { isDefault: true },
    )
    .addCommand(
      platformCommand("overdue", "list periods that are overdue for closing")
        .option("--limit <count>", "number of rows, 1 to 200 (50)", wholeNumber(200))
        .option("--cursor <cursor>", "`next_cursor` of the previous page")
        .action((options: PageOptions, command: Command) =>
          perform(command, (call) => overdue(call, options)),
        ),
    )
    .addCommand(
      platformCommand("mark-invoiced", "mark a closed period as invoiced; this cannot be undone")
        .argument("<id>", "a period's id")
        .addOption(yesOption())
        .action((id: string, options: InvoiceOptions, command: Command) =>
          perform(command, (call) => markInvoiced(call, id, options)),
        ),
    );

async function list(call: CommandCall, options: ListOptions): Promise<ExitCode> {
  const { screen } = call;
  const { url: _, tenant, ...query } = options;
  return withOperator(call, options, async (client, findTenant, tenantNames) => {
    const of = tenant === undefined ? {} : { tenant_id: await findTenant() };
    const periods = await client.listPeriods({ ...query, ...of });
    if (screen.json) screen.document(periods);
    else if (periods.periods.length === 0) screen.say("No periods.");
    else {
      const nameOf = await tenantNames();
      screen.table(
        ["PERIOD", "MONTH", "TENANT", "TENANT ID", "VERTICAL", "SUBSCRIPTION", "STATUS", "AMOUNT", "CLOSED"],
        periods.periods.map((period) => [
          period.id,
          period.period,
          paint("bold", nameOf(period.tenant_id)),
          period.tenant_id,
          period.argo_code ?? "base plan",
          period.subscription_id ?? "",
          period.status,
          period.amount_micros === null ? "" : usdText(period.amount_micros),
          period.closed_at ?? "",
        ]),
      );
      if (periods.next_cursor !== undefined) screen.say(`More rows: --cursor ${periods.next_cursor}`);
    }
    return exitCodes.ok;
  });
}

async function overdue(call: CommandCall, options: PageOptions): Promise<ExitCode> {
  const { screen } = call;
  const { url: _, ...page } = options;
  return withOperator(call, options, async (client, _, tenantNames) => {
    const overduePeriods = await client.overduePeriods(page);
    if (screen.json) screen.document(overduePeriods);
    else if (overduePeriods.periods.length === 0) screen.say("No period is overdue.");
    else {
      const nameOf = await tenantNames();
      screen.table(
        ["MONTH", "TENANT", "TENANT ID", "VERTICAL", "SUBSCRIPTION", "DUE"],
        overduePeriods.periods.map((period) => [
          period.period,
          paint("bold", nameOf(period.tenant_id)),
          period.tenant_id,
          period.argo_code ?? "base plan",
          period.subscription_id ?? "",
          period.due_at,
        ]),
      );
      if (overduePeriods.next_cursor !== undefined)
        screen.say(`More rows: --cursor ${overduePeriods.next_cursor}`);
    }
    return exitCodes.ok;
  });
}

async function markInvoiced(call: CommandCall, id: string, options: InvoiceOptions): Promise<ExitCode> {
  const { screen } = call;
  requireYes(options, `This would mark the period ${id} as invoiced.`);
  const period = await withOperator(call, options, (client) => client.markInvoiced(id));
  if (screen.json) screen.document(period);
  else screen.say(`${period.period} of ${period.tenant_id} is now marked as invoiced.`);
  return exitCodes.ok;
}
