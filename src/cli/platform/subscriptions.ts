import { Command, InvalidArgumentError, Option } from "commander";
import { creditsText, usdText } from "../../contracts/amounts.ts";
import type { BillingPeriod } from "../../contracts/platform/billing/billing.ts";
import type {
  ChangeInstant,
  Subscription,
  SubscriptionPreview,
} from "../../contracts/platform/billing/subscriptions.ts";
import type { PlatformClient } from "../../contracts/platform/clients/client.ts";
import { allPages, type CommandCall, type Perform } from "../call.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { requireYes, wholeNumber, yesOption } from "../option-values.ts";
import { paint } from "../terminal/paint.ts";
import { month } from "./billing.ts";
import { type PlatformOptions, platformCommand, tenantCommand, withOperator } from "./with-platform.ts";

interface ShowOptions extends PlatformOptions {
  period?: string;
}

interface ListOptions extends ShowOptions {
  limit?: number;
  cursor?: string;
}

interface CreateOptions extends PlatformOptions {
  argo: string;
  plan: string;
  from: string;
  yes?: boolean;
}

interface ChangeOptions extends PlatformOptions {
  at: ChangeInstant;
}

interface CancelOptions extends ChangeOptions {
  yes?: boolean;
}

const atOption = (fallback: ChangeInstant) =>
  new Option("--at <when>", "now, or at the end of the UTC month")
    .choices(["now", "period_end"] satisfies ChangeInstant[])
    .default(fallback);

export const subscriptionsCommand = (perform: Perform) =>
  new Command("subscriptions")
    .description("manage subscriptions to verticals (operators)")
    .addCommand(
      tenantCommand("list", "list subscriptions with usage, of one tenant or all")
        .option("--period <month>", "YYYY-MM (the current month)", month)
        .option("--limit <count>", "number of rows, 1 to 200 (50)", wholeNumber(200))
        .option("--cursor <cursor>", "`next_cursor` of the previous page")
        .action((options: ListOptions, command: Command) => perform(command, (call) => list(call, options))),
      { isDefault: true },
    )
    .addCommand(
      platformCommand("show", "print a subscription")
        .argument("<id>", "a subscription's id")
        .option("--period <month>", "YYYY-MM (the current month)", month)
        .action((id: string, options: ShowOptions, command: Command) =>
          perform(command, (call) => show(call, id, options)),
        ),
    )
    .addCommand(
      tenantCommand("create", "start a subscription for a tenant")
        .requiredOption("--argo <code>", "the vertical")
        .requiredOption("--plan <plan>", "a plan of that vertical")
        .requiredOption("--from <day>", "the first day in UTC, such as 2026-03-10", day)
        .addOption(new Option("--yes", "confirm a first day in a past month, which is billed at once"))
        .action((options: CreateOptions, command: Command) =>
          perform(command, (call) => create(call, options)),
        ),
    )
    .addCommand(
      platformCommand(
        "change-plan",
        "change the plan from next month or now; give the current plan to undo a planned change",
      )
        .argument("<id>", "a subscription's id")
        .argument("<plan>", "a plan of the same vertical")
        .addOption(atOption("period_end"))
        .action((id: string, plan: string, options: ChangeOptions, command: Command) =>
          perform(command, (call) => changePlan(call, id, plan, options)),
        ),
    )
    .addCommand(
      platformCommand("cancel", "cancel a subscription as of today, or at the end of the month")
        .argument("<id>", "a subscription's id")
        .addOption(atOption("now"))
        .addOption(yesOption())
        .action((id: string, options: CancelOptions, command: Command) =>
          perform(command, (call) => cancel(call, id, options)),
        ),
    );

function day(text: string): string {
  if (/^2\d{3}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/.test(text)) return text;
  throw new InvalidArgumentError("It must be a day such as 2026-03-10.");
}

async function list(call: CommandCall, options: ListOptions): Promise<ExitCode> {
  const { screen } = call;
  return withOperator(call, options, async (client, findTenant, tenantNames) => {
    const { url: _, tenant, ...query } = options;
    const of = tenant === undefined ? {} : { tenant_id: await findTenant() };
    const subscriptions = await client.listSubscriptions({ ...query, ...of });
    if (screen.json) screen.document(subscriptions);
    else if (subscriptions.subscriptions.length === 0)
      screen.say("No subscriptions. Start one with `argosy platform subscriptions create`.");
    else {
      const nameOf = await tenantNames();
      screen.table(
        ["SUBSCRIPTION", "TENANT", "TENANT ID", "VERTICAL", "PLAN", "STATUS", "FROM", "CREDITS"],
        subscriptions.subscriptions.map((one) => [
          one.id,
          paint("bold", nameOf(one.tenant_id)),
          one.tenant_id,
          one.argo_code,
          planOf(one),
          statusOf(one),
          one.desde,
          creditsText(one.counters.credits_charged_micros),
        ]),
      );
      if (subscriptions.next_cursor !== undefined)
        screen.say(`More rows: --cursor ${subscriptions.next_cursor}`);
    }
    return exitCodes.ok;
  });
}

const planOf = ({ plan_id, next_plan_id }: Subscription) =>
  next_plan_id === null ? plan_id : `${plan_id}, then ${next_plan_id}`;

const statusOf = ({ status, last_day }: Pick<Subscription, "status" | "last_day">) =>
  last_day === null ? status : `${status}, last day ${last_day}`;

async function show(call: CommandCall, id: string, options: ShowOptions): Promise<ExitCode> {
  return withOperator(call, options, async (client, _, tenantNames) => {
    const subscription = await client.getAnySubscription(id, options.period);
    printSubscription(call, subscription, (await tenantNames())(subscription.tenant_id));
    if (!call.screen.json) printPeriods(call, await periodsOf(client, subscription));
    return exitCodes.ok;
  });
}

function printSubscription({ screen }: CommandCall, one: Subscription, tenant: string): void {
  if (screen.json) {
    screen.document(one);
    return;
  }
  screen.fields([
    ["subscription", paint("bold", one.id)],
    ["tenant", tenant === one.tenant_id ? tenant : `${tenant} (${one.tenant_id})`],
    ["vertical", one.argo_code],
    ["plan", planOf(one)],
    ["status", statusOf(one)],
    ["from", one.desde],
    ["period", one.counters.period],
    ["credits", creditsText(one.counters.credits_charged_micros)],
    ...Object.entries(one.counters.units).map(([name, used]) => [name, String(used)] as const),
  ]);
}

/** Reads the periods of a subscription that have been billed or counted, latest first. */
const periodsOf = (client: PlatformClient, { id, tenant_id }: Subscription): Promise<BillingPeriod[]> =>
  allPages(async (cursor) => {
    const page = { subscription_id: id, tenant_id, limit: 200, ...(cursor === undefined ? {} : { cursor }) };
    const { periods, next_cursor } = await client.listPeriods(page);
    return { items: periods, next: next_cursor };
  });

function printPeriods({ screen }: CommandCall, periods: readonly BillingPeriod[]): void {
  if (periods.length === 0) return;
  screen.table(
    ["MONTH", "STATUS", "AMOUNT"],
    periods.map(({ period, status, amount_micros }) => [
      period,
      status,
      amount_micros === null ? "" : usdText(amount_micros),
    ]),
  );
}

function printPreview({ screen }: CommandCall, { months }: SubscriptionPreview): void {
  screen.table(
    ["PAST MONTH", "CHARGE", "AMOUNT"],
    months.flatMap(({ period, charges }) =>
      charges.map(({ description, amount_micros }) => [period, description, usdText(amount_micros)]),
    ),
  );
}

async function create(call: CommandCall, options: CreateOptions): Promise<ExitCode> {
  const { argo, plan, from } = options;
  return withOperator(call, options, async (client, findTenant, tenantNames) => {
    const tenant_id = await findTenant();
    const input = { tenant_id, argo_code: argo, plan_id: plan, desde: from };
    const preview = await client.previewSubscription(input);
    if (preview.months.length > 0) {
      if (!call.screen.json) printPreview(call, preview);
      const { total_micros, months } = preview;
      const past = months.length === 1 ? `1 past month` : `${months.length} past months`;
      requireYes(options, `From ${from}, this would bill ${usdText(total_micros)} for ${past} at once.`);
    }
    const made = await client.createSubscription(input);
    printSubscription(call, made, (await tenantNames())(tenant_id));
    return exitCodes.ok;
  });
}

async function changePlan(
  call: CommandCall,
  id: string,
  plan: string,
  options: ChangeOptions,
): Promise<ExitCode> {
  const { screen } = call;
  const changed = await withOperator(call, options, (client) =>
    client.scheduleSubscriptionPlan(id, plan, options.at),
  );
  if (screen.json) screen.document(changed);
  else if (options.at === "now") screen.say(`${id} is on ${changed.plan_id} from now on.`);
  else if (changed.next_plan_id === null) screen.say(`${id} stays on ${changed.plan_id}.`);
  else screen.say(`${id} changes to ${changed.next_plan_id} next month.`);
  return exitCodes.ok;
}

async function cancel(call: CommandCall, id: string, options: CancelOptions): Promise<ExitCode> {
  const { screen } = call;
  const end = options.at === "now" ? "today" : "at the end of its month";
  requireYes(options, `This would end the subscription ${id} ${end}; its agents then stop.`);
  const cancelled = await withOperator(call, options, (client) => client.cancelSubscription(id, options.at));
  if (screen.json) screen.document(cancelled);
  else screen.say(`Cancelled ${id}. Its last day is ${cancelled.last_day}.`);
  return exitCodes.ok;
}
