import { type Command, InvalidArgumentError, Option } from "commander";
import { creditsText, usdText } from "../../contracts/amounts.ts";
import type { Attribution } from "../../contracts/platform/attribution.ts";
import type { Statement } from "../../contracts/platform/billing/billing.ts";
import { creditLimit } from "../../contracts/platform/billing/credit-limit.ts";
import type { UsageReport } from "../../contracts/platform/observability.ts";
import type { CommandCall, Perform } from "../call.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { paint } from "../terminal/paint.ts";
import { usageError } from "../terminal/report-error.ts";
import type { Screen } from "../terminal/screen.ts";
import { storageText } from "../terminal/storage-text.ts";
import { byOption, printAttribution } from "./print-attribution.ts";
import { type PlatformOptions, tenantCommand, withOperator, withTenant } from "./with-platform.ts";

interface PeriodOptions extends PlatformOptions {
  period?: string;
}

interface UsageOptions extends PeriodOptions {
  by?: Attribution;
  csv?: boolean;
}

interface StatementOptions extends PeriodOptions {
  form?: "csv" | "html";
}

export const usageCommand = (perform: Perform) =>
  tenantCommand("usage", "show a tenant's usage and its most active agents")
    .option("--period <month>", "YYYY-MM (the current month)", month)
    .addOption(byOption())
    .option("--csv", "with --by: print CSV")
    .action((options: UsageOptions, command: Command) => perform(command, (call) => usage(call, options)));

export const statementCommand = (perform: Perform) =>
  tenantCommand("statement", "print a tenant's statement for a month (operators)")
    .option("--period <month>", "YYYY-MM (the current month)", month)
    .addOption(new Option("--form <form>", "print the statement in this format").choices(["csv", "html"]))
    .action((options: StatementOptions, command: Command) =>
      perform(command, (call) => statement(call, options)),
    );

/** Parses an option's month. */
export function month(text: string): string {
  if (/^\d{4}-(0[1-9]|1[0-2])$/.test(text)) return text;
  throw new InvalidArgumentError("It must be a month such as 2026-03.");
}

async function usage(call: CommandCall, options: UsageOptions): Promise<ExitCode> {
  const { screen } = call;
  const { by, csv = false, period } = options;
  if (csv && by === undefined) throw usageError("--csv needs --by.", "Add --by key, member or model.");
  if (by !== undefined) {
    const wish = { by, ...(period === undefined ? {} : { period }) };
    const split = await withTenant(call, options, (client) => client.usageAttribution(wish));
    return printAttribution(call, split, csv);
  }
  const report = await withTenant(call, options, (client) => client.usage(period));
  if (screen.json) screen.document(report);
  else printUsage(screen, report);
  return exitCodes.ok;
}

function printUsage(
  screen: Screen,
  { period, month: used, credits: counter, storage, agents }: UsageReport,
): void {
  const limit = creditLimit(counter);
  const cap = limit === null ? "no cap" : `of ${creditsText(limit)}`;
  const left = counter.grants_left_micros;
  screen.fields([
    ["period", period],
    ["runs", String(used.invocations)],
    ["tokens", `${used.tokens_in} in, ${used.tokens_out} out`],
    ["credits", `${creditsText(counter.charged_micros)} ${cap}`],
    ...(left === 0 ? [] : [["granted", `${creditsText(left)} left of grants`] as const]),
    ["storage", storageText(storage)],
  ]);
  if (agents.length === 0) return;
  screen.table(
    ["AGENT", "RUNS", "CREDITS", "STATUS"],
    agents.map((agent) => [
      paint("bold", agent.name),
      String(agent.month.invocations),
      creditsText(agent.month.credits_charged_micros),
      agent.status,
    ]),
  );
}

async function statement(call: CommandCall, options: StatementOptions): Promise<ExitCode> {
  const { screen } = call;
  const { form, period } = options;
  return withOperator(call, options, async (client, findTenant) => {
    const tenantId = await findTenant();
    if (form !== undefined) {
      const text = await (form === "csv" ? client.statementCsv : client.statementHtml)(tenantId, period);
      if (screen.json) screen.document({ tenant_id: tenantId, form, text });
      else {
        screen.write(text);
        screen.endLine();
      }
      return exitCodes.ok;
    }
    const found = await client.statement(tenantId, period);
    if (screen.json) screen.document(found);
    else printStatement(screen, found);
    return exitCodes.ok;
  });
}

function printStatement(
  screen: Screen,
  { tenant_name, period, provisional, charges, credits: used, total_micros }: Statement,
): void {
  if (charges.length > 0) {
    screen.table(
      ["AMOUNT", "CHARGE", "QUANTITY", "DESCRIPTION"],
      charges.map((charge) => [
        usdText(charge.amount_micros),
        charge.type,
        String(charge.quantity),
        charge.description,
      ]),
    );
  }
  if (used.grants.length > 0) {
    screen.table(
      ["GRANT", "EXPIRES", "OPENING", "USED", "EXPIRED", "LEFT"],
      used.grants.map((grant) => [
        grant.reason,
        grant.expires_at ?? "never",
        creditsText(grant.opening_micros),
        creditsText(grant.used_micros),
        creditsText(grant.expired_micros),
        creditsText(grant.left_micros),
      ]),
    );
  }
  screen.fields([
    ["tenant", tenant_name],
    ["period", provisional ? `${period}, provisional` : period],
    ["credits used", `${creditsText(used.used_micros)}, ${creditsText(used.included_micros)} included`],
    ...(used.grants.length === 0 ? [] : [["granted used", creditsText(used.granted_micros)] as const]),
    ["total", paint("bold", usdText(total_micros))],
  ]);
}
