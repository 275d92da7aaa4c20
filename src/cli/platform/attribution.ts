import type { Command } from "commander";
import { usdText } from "../../contracts/amounts.ts";
import type { Attribution } from "../../contracts/platform/attribution.ts";
import { revenueCsv, revenueMonthsMax } from "../../contracts/platform/billing/revenue.ts";
import type { CommandCall, Perform } from "../call.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { wholeNumber } from "../option-values.ts";
import { month } from "./billing.ts";
import { byOption, printAttribution } from "./print-attribution.ts";
import { type PlatformOptions, platformCommand, tenantCommand, withOperator } from "./with-platform.ts";

interface CostOptions extends PlatformOptions {
  by: Attribution;
  period?: string;
  csv?: boolean;
}

interface RevenueOptions extends PlatformOptions {
  months?: number;
  csv?: boolean;
}

export const costsCommand = (perform: Perform): Command =>
  tenantCommand("costs", "show usage and provider costs of a month, of one tenant or all (operators)")
    .addOption(byOption().default("model"))
    .option("--period <month>", "YYYY-MM (the current month)", month)
    .option("--csv", "print CSV")
    .action((options: CostOptions, command: Command) => perform(command, (call) => costs(call, options)));

export const revenueCommand = (perform: Perform): Command =>
  platformCommand("revenue", "show revenue, new and lost tenants by month (operators)")
    .option("--months <count>", "months, the current one included (12)", wholeNumber(revenueMonthsMax))
    .option("--csv", "print CSV")
    .action((options: RevenueOptions, command: Command) =>
      perform(command, (call) => revenue(call, options)),
    );

async function costs(call: CommandCall, options: CostOptions): Promise<ExitCode> {
  const { by, period } = options;
  const report = await withOperator(call, options, async (client, findTenant) => {
    const of = options.tenant === undefined ? {} : { tenant_id: await findTenant() };
    return client.costAttribution({ by, ...(period === undefined ? {} : { period }), ...of });
  });
  return printAttribution(call, report, options.csv === true);
}

async function revenue(call: CommandCall, options: RevenueOptions): Promise<ExitCode> {
  const { screen } = call;
  const report = await withOperator(call, options, (client) => client.revenue(options.months));
  if (screen.json) screen.document(options.csv ? { form: "csv", text: revenueCsv(report) } : report);
  else if (options.csv) screen.write(revenueCsv(report));
  else
    screen.table(
      ["MONTH", "REVENUE", "TENANTS", "NEW", "LOST", "CHURN", "LOST REVENUE", "SUBSCRIPTIONS"],
      report.months.map((one) => [
        one.provisional ? `${one.period}, so far` : one.period,
        usdText(one.revenue_micros),
        String(one.tenants),
        String(one.new_tenants),
        String(one.lost_tenants),
        one.churn === null ? "–" : `${(one.churn * 100).toFixed(1)} %`,
        usdText(one.lost_revenue_micros),
        `+${one.subscriptions_started} -${one.subscriptions_ended}`,
      ]),
    );
  return exitCodes.ok;
}
