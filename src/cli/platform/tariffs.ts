import { Command } from "commander";
import { creditsText, usdText } from "../../contracts/amounts.ts";
import type { Tariff } from "../../contracts/platform/billing/tariffs.ts";
import type { CommandCall, Perform } from "../call.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { amount, rate, requireYes, yesOption } from "../option-values.ts";
import { paint } from "../terminal/paint.ts";
import { month } from "./billing.ts";
import { type PlatformOptions, platformCommand, tenantCommand, withOperator } from "./with-platform.ts";

interface ListOptions extends PlatformOptions {
  at?: string;
}

interface CreateOptions extends PlatformOptions {
  in: number;
  out: number;
  cached?: number;
  costIn?: number;
  costOut?: number;
  costCached?: number;
  infraPerSecond?: number;
  from?: string;
  own?: boolean;
  yes?: boolean;
}

interface RerateOptions extends PlatformOptions {
  period?: string;
  yes?: boolean;
}

export const tariffsCommand = (perform: Perform) =>
  new Command("tariffs")
    .description("manage model prices in credits (operators)")
    .addCommand(
      platformCommand("list", "list current tariffs")
        .option("--at <instant>", "list the tariffs of this time, such as 2026-03-10T12:00:00Z (now)")
        .action((options: ListOptions, command: Command) => perform(command, (call) => list(call, options))),
      { isDefault: true },
    )
    .addCommand(
      platformCommand("create", "create a tariff; tariffs can't be changed, only replaced by later ones")
        .argument("<provider>", "a provider's name, such as openai")
        .argument("<model>", "a model's name")
        .requiredOption("--in <credits>", "credits per 1000 input tokens, such as 0.02", rate)
        .requiredOption("--out <credits>", "credits per 1000 output tokens, such as 0.06", rate)
        .option("--cached <credits>", "credits per 1000 cached input tokens (same as --in)", rate)
        .option("--cost-in <usd>", "the provider's price in USD per 1000 input tokens", rate)
        .option("--cost-out <usd>", "the provider's price in USD per 1000 output tokens", rate)
        .option("--cost-cached <usd>", "the provider's price in USD per 1000 cached input tokens", rate)
        .option("--infra-per-second <usd>", "infrastructure cost in USD per second of a run", amount)
        .option("--from <instant>", "start time of the tariff (now)")
        .option("--own", "the model runs on the operator's machines")
        .addOption(yesOption())
        .action((provider: string, model: string, options: CreateOptions, command: Command) =>
          perform(command, (call) => create(call, provider, model, options)),
        ),
    )
    .addCommand(
      tenantCommand(
        "rerate",
        "price unpriced runs of open periods with the tariffs stored since, after --yes",
      )
        .option("--period <month>", "YYYY-MM (this month and the one before)", month)
        .addOption(yesOption())
        .action((options: RerateOptions, command: Command) =>
          perform(command, (call) => rerate(call, options)),
        ),
    );

async function rerate(call: CommandCall, options: RerateOptions): Promise<ExitCode> {
  const { screen } = call;
  const { period, tenant } = options;
  return withOperator(call, options, async (client, findTenant) => {
    const wish = {
      ...(period === undefined ? {} : { period }),
      ...(tenant === undefined ? {} : { tenant_id: await findTenant() }),
    };
    const preview = await client.rerateRuns({ ...wish, dry_run: true });
    const rerated =
      options.yes === true && preview.tenants.length > 0
        ? await client.rerateRuns({ ...wish, dry_run: false })
        : preview;
    if (screen.json) screen.document(rerated);
    else if (rerated.tenants.length === 0) screen.say("No tariff prices an unpriced run of an open period.");
    else {
      screen.table(
        ["TENANT", "MONTH", "RUNS", "CREDITS"],
        rerated.tenants.map((one) => [
          paint("bold", one.tenant_name),
          one.period,
          String(one.invocations),
          creditsText(one.credits_micros),
        ]),
      );
      if (rerated.dry_run) requireYes(options, "This would charge these credits.");
      screen.say("These runs are priced now.");
    }
    return exitCodes.ok;
  });
}

async function list(call: CommandCall, options: ListOptions): Promise<ExitCode> {
  const { screen } = call;
  const tariffs = await withOperator(call, options, (client) => client.listTariffs(options.at));
  if (screen.json) screen.document(tariffs);
  else if (tariffs.tariffs.length === 0)
    screen.say("No tariffs. `argosy platform tariffs create <provider> <model>` stores one.");
  else {
    screen.table(
      ["PROVIDER", "MODEL", "IN / 1K", "OUT / 1K", "CACHED / 1K", "COST IN / OUT / CACHED", "FROM", "ID"],
      tariffs.tariffs.map((tariff) => [
        paint("bold", tariff.provider),
        tariff.model,
        creditsText(tariff.credits_per_1k_in_micros),
        creditsText(tariff.credits_per_1k_out_micros),
        cachedOf(tariff),
        costOf(tariff),
        tariff.effective_from,
        tariff.id,
      ]),
    );
  }
  return exitCodes.ok;
}

const cachedOf = ({ credits_per_1k_cached_in_micros: cached }: Tariff) =>
  cached === null ? "as in" : creditsText(cached);

const costOf = (tariff: Tariff): string => {
  const costs = [
    tariff.provider_cost_per_1k_in_micros,
    tariff.provider_cost_per_1k_out_micros,
    tariff.provider_cost_per_1k_cached_in_micros,
  ];
  return costs.every((cost) => cost === null)
    ? "–"
    : costs.map((cost) => (cost === null ? "–" : usdText(cost))).join(" / ");
};

async function create(
  call: CommandCall,
  provider: string,
  model: string,
  options: CreateOptions,
): Promise<ExitCode> {
  const { screen } = call;
  const { cached, costIn, costOut, costCached, infraPerSecond, from, own } = options;
  const prices = `${creditsText(options.in)} credits per 1000 input tokens and ${creditsText(options.out)} per 1000 output tokens`;
  requireYes(options, `This would price ${provider}/${model} at ${prices}, from ${from ?? "now"} on.`);
  const tariff = await withOperator(call, options, (client) =>
    client.fileTariff({
      provider,
      model,
      credits_per_1k_in_micros: options.in,
      credits_per_1k_out_micros: options.out,
      ...(cached === undefined ? {} : { credits_per_1k_cached_in_micros: cached }),
      ...(costIn === undefined ? {} : { provider_cost_per_1k_in_micros: costIn }),
      ...(costOut === undefined ? {} : { provider_cost_per_1k_out_micros: costOut }),
      ...(costCached === undefined ? {} : { provider_cost_per_1k_cached_in_micros: costCached }),
      ...(infraPerSecond === undefined ? {} : { infra_cost_per_second_micros: infraPerSecond }),
      ...(from === undefined ? {} : { effective_from: from }),
      ...(own === true ? { own } : {}),
    }),
  );
  if (screen.json) screen.document(tariff);
  else screen.say(`${provider}/${model} costs ${prices} from ${tariff.effective_from} on.`);
  return exitCodes.ok;
}
