import { Command } from "commander";
import { creditsText, usdText } from "../../contracts/amounts.ts";
import type { Grant } from "../../contracts/platform/billing/grants.ts";
import type { CommandCall, Perform } from "../call.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { amount, wholeNumber } from "../option-values.ts";
import { paint } from "../terminal/paint.ts";
import { type PlatformOptions, tenantCommand, withOperator } from "./with-platform.ts";

interface ListOptions extends PlatformOptions {
  limit?: number;
  cursor?: string;
}

interface CreateOptions extends PlatformOptions {
  credits: number;
  reason: string;
  expires?: string;
  price?: number;
}

export const grantsCommand = (perform: Perform) =>
  new Command("grants")
    .description("manage credits granted to tenants (operators)")
    .addCommand(
      tenantCommand("list", "list a tenant's grants with what is left of them")
        .option("--limit <count>", "number of rows, 1 to 200 (50)", wholeNumber(200))
        .option("--cursor <cursor>", "`next_cursor` of the previous page")
        .action((options: ListOptions, command: Command) => perform(command, (call) => list(call, options))),
      { isDefault: true },
    )
    .addCommand(
      tenantCommand("create", "grant credits, used after the included ones, soonest expiry first")
        .requiredOption("--credits <amount>", "credits, such as 25 or 2.5", amount)
        .requiredOption("--reason <text>", "for example trial, top-up or goodwill; the tenant sees it")
        .option("--expires <time>", "day or instant from which the rest can't be used (never)")
        .option("--price <amount>", "price in USD, charged in this month (free)", amount)
        .action((options: CreateOptions, command: Command) =>
          perform(command, (call) => create(call, options)),
        ),
    );

async function list(call: CommandCall, options: ListOptions): Promise<ExitCode> {
  const { screen } = call;
  const { url: _, tenant: __, ...page } = options;
  return withOperator(call, options, async (client, findTenant) => {
    const grants = await client.listGrants(await findTenant(), page);
    if (screen.json) screen.document(grants);
    else if (grants.grants.length === 0)
      screen.say("No grants. Grant credits with `argosy platform grants create`.");
    else {
      screen.table(
        ["GRANT", "CREDITS", "USED", "LEFT", "EXPIRED", "EXPIRES", "PRICE", "REASON"],
        grants.grants.map((one) => [
          one.id,
          creditsText(one.credits_micros),
          creditsText(one.used_micros),
          creditsText(one.left_micros),
          creditsText(one.expired_micros),
          one.expires_at ?? "never",
          one.price_micros === null ? "free" : usdText(one.price_micros),
          one.reason,
        ]),
      );
      if (grants.next_cursor !== undefined) screen.say(`More rows: --cursor ${grants.next_cursor}`);
    }
    return exitCodes.ok;
  });
}

async function create(call: CommandCall, options: CreateOptions): Promise<ExitCode> {
  const { reason, expires, price } = options;
  return withOperator(call, options, async (client, findTenant) => {
    const made = await client.createGrant(await findTenant(), {
      credits_micros: options.credits,
      reason,
      ...(expires === undefined ? {} : { expires_at: expires }),
      ...(price === undefined ? {} : { price_micros: price }),
    });
    printGrant(call, made);
    return exitCodes.ok;
  });
}

function printGrant({ screen }: CommandCall, one: Grant): void {
  if (screen.json) {
    screen.document(one);
    return;
  }
  screen.fields([
    ["grant", paint("bold", one.id)],
    ["credits", creditsText(one.credits_micros)],
    ["expires", one.expires_at ?? "never"],
    ["price", one.price_micros === null ? "free" : usdText(one.price_micros)],
    ["reason", one.reason],
  ]);
}
