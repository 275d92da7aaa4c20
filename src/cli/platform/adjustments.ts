import { Command, InvalidArgumentError } from "commander";
import { usdText } from "../../contracts/amounts.ts";
import type { Adjustment } from "../../contracts/platform/billing/corrections.ts";
import type { CommandCall, Perform } from "../call.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { amount, wholeNumber } from "../option-values.ts";
import { paint } from "../terminal/paint.ts";
import { month } from "./billing.ts";
import { type PlatformOptions, tenantCommand, withOperator } from "./with-platform.ts";

interface ListOptions extends PlatformOptions {
  limit?: number;
  cursor?: string;
}

interface CreateOptions extends PlatformOptions {
  amount: number;
  reason: string;
  reference?: string;
  period?: string;
}

export const adjustmentsCommand = (perform: Perform) =>
  new Command("adjustments")
    .description("correct the bills of open months (operators)")
    .addCommand(
      tenantCommand("list", "list a tenant's adjustments")
        .option("--limit <count>", "number of rows, 1 to 200 (50)", wholeNumber(200))
        .option("--cursor <cursor>", "`next_cursor` of the previous page")
        .action((options: ListOptions, command: Command) => perform(command, (call) => list(call, options))),
      { isDefault: true },
    )
    .addCommand(
      tenantCommand("create", "add a signed charge to an open month")
        .requiredOption("--amount <amount>", "USD, such as 12.50; --amount=-12.50 for a refund", signedAmount)
        .requiredOption("--reason <text>", "the tenant sees it on its statement")
        .option("--reference <text>", "a reference, such as a ticket")
        .option("--period <month>", "YYYY-MM, an open month (the current month)", month)
        .action((options: CreateOptions, command: Command) =>
          perform(command, (call) => create(call, options)),
        ),
    );

/** Parses an option's signed decimal to exact micros. */
export function signedAmount(text: string): number {
  const micros = text.startsWith("-") ? -amount(text.slice(1)) : amount(text);
  if (micros === 0) throw new InvalidArgumentError("It must not be 0.");
  return micros;
}

async function list(call: CommandCall, options: ListOptions): Promise<ExitCode> {
  const { screen } = call;
  const { url: _, tenant: __, ...page } = options;
  return withOperator(call, options, async (client, findTenant) => {
    const adjustments = await client.listAdjustments(await findTenant(), page);
    if (screen.json) screen.document(adjustments);
    else if (adjustments.adjustments.length === 0) screen.say("No adjustments.");
    else {
      screen.table(
        ["ADJUSTMENT", "MONTH", "AMOUNT", "REASON", "REFERENCE"],
        adjustments.adjustments.map((one) => [
          one.id,
          one.period,
          usdText(one.amount_micros),
          one.reason,
          one.reference ?? "",
        ]),
      );
      if (adjustments.next_cursor !== undefined) screen.say(`More rows: --cursor ${adjustments.next_cursor}`);
    }
    return exitCodes.ok;
  });
}

async function create(call: CommandCall, options: CreateOptions): Promise<ExitCode> {
  const { reason, reference, period } = options;
  return withOperator(call, options, async (client, findTenant) => {
    const made = await client.createAdjustment(await findTenant(), {
      amount_micros: options.amount,
      reason,
      ...(reference === undefined ? {} : { reference }),
      ...(period === undefined ? {} : { period }),
    });
    printAdjustment(call, made);
    return exitCodes.ok;
  });
}

function printAdjustment({ screen }: CommandCall, one: Adjustment): void {
  if (screen.json) {
    screen.document(one);
    return;
  }
  screen.fields([
    ["adjustment", paint("bold", one.id)],
    ["month", one.period],
    ["amount", usdText(one.amount_micros)],
    ["reason", one.reason],
    ["reference", one.reference ?? ""],
  ]);
}
