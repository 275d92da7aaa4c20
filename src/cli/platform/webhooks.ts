import { Command } from "commander";
import {
  type NewWebhook,
  type NoticeDeliveryList,
  type NoticeEvent,
  noticeEvents,
  type WebhookInput,
  type WebhookList,
} from "../../contracts/platform/notices.ts";
import type { CommandCall, Perform } from "../call.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { gather, requireYes, wholeNumber, yesOption } from "../option-values.ts";
import { paint } from "../terminal/paint.ts";
import { usageError } from "../terminal/report-error.ts";
import { type PlatformOptions, tenantCommand, withOperator, withTenant } from "./with-platform.ts";

interface HookOptions extends PlatformOptions {
  own?: boolean;
}

interface CreateOptions extends HookOptions {
  event?: string[];
}

interface PageOptions extends HookOptions {
  limit?: number;
  cursor?: string;
}

interface DeleteOptions extends HookOptions {
  yes?: boolean;
}

export const webhooksCommand = (perform: Perform) =>
  new Command("webhooks")
    .description("manage webhooks for notices: of the installation (operators), or of a tenant with --own")
    .addCommand(
      hookCommand("list", "list webhooks").action((options: HookOptions, command: Command) =>
        perform(command, (call) => list(call, options)),
      ),
      { isDefault: true },
    )
    .addCommand(
      hookCommand("create", "add a webhook; prints its secret once")
        .argument("<url>", "https:// or mailto: address")
        .option("--event <name>", `${noticeEvents.join(", ")}; repeatable (all)`, gather)
        .action((url: string, options: CreateOptions, command: Command) =>
          perform(command, (call) => create(call, url, options)),
        ),
    )
    .addCommand(
      hookCommand("deliveries", "list notices to a webhook, newest first")
        .argument("<id>", "a webhook's id")
        .option("--limit <count>", "number of rows, 1 to 200 (50)", wholeNumber(200))
        .option("--cursor <cursor>", "`next_cursor` of the previous page")
        .action((id: string, options: PageOptions, command: Command) =>
          perform(command, (call) => deliveries(call, id, options)),
        ),
    )
    .addCommand(
      hookCommand("delete", "delete a webhook; its waiting notices are lost")
        .argument("<id>", "a webhook's id")
        .addOption(yesOption())
        .action((id: string, options: DeleteOptions, command: Command) =>
          perform(command, (call) => remove(call, id, options)),
        ),
    );

/** A command for the installation's webhooks, or with `--own` or `--tenant` for those of a tenant. */
const hookCommand = (name: string, description: string) =>
  tenantCommand(name, description).option("--own", "of a tenant, as its member or with its API key");

/** Calls for the webhooks of the installation, or of a tenant. */
interface HookCalls {
  list: () => Promise<WebhookList>;
  create: (input: WebhookInput) => Promise<NewWebhook>;
  remove: (id: string) => Promise<unknown>;
  deliveries: (id: string, page: { limit?: number; cursor?: string }) => Promise<NoticeDeliveryList>;
}

const withHooks = <T>(
  call: CommandCall,
  options: HookOptions,
  use: (hooks: HookCalls) => Promise<T>,
): Promise<T> =>
  options.own === true || options.tenant !== undefined
    ? withTenant(call, options, (client) =>
        use({
          list: client.listOwnWebhooks,
          create: client.createOwnWebhook,
          remove: client.deleteOwnWebhook,
          deliveries: client.listOwnDeliveries,
        }),
      )
    : withOperator(call, options, (client) =>
        use({
          list: client.listWebhooks,
          create: client.createWebhook,
          remove: client.deleteWebhook,
          deliveries: client.listDeliveries,
        }),
      );

async function list(call: CommandCall, options: HookOptions): Promise<ExitCode> {
  const { screen } = call;
  const webhooks = await withHooks(call, options, (hooks) => hooks.list());
  if (screen.json) screen.document(webhooks);
  else if (webhooks.webhooks.length === 0)
    screen.say("No webhooks. Add one with `argosy platform webhooks create`.");
  else printHooks(call, webhooks);
  return exitCodes.ok;
}

function printHooks({ screen }: CommandCall, { webhooks }: WebhookList): void {
  screen.table(
    ["WEBHOOK", "ADDRESS", "EVENTS"],
    webhooks.map(({ id, url, events }) => [id, paint("bold", url), events.join(" ")]),
  );
}

async function create(
  call: CommandCall,
  url: string,
  { event, ...options }: CreateOptions,
): Promise<ExitCode> {
  const { screen } = call;
  const isOwn = options.own === true || options.tenant !== undefined;
  // Missing tariffs concern the operator alone.
  const known = noticeEvents.filter((name) => !isOwn || name !== "model.unpriced");
  const events = event ?? [...known];
  const unknown = events.find((name) => !noticeEvents.includes(name as NoticeEvent));
  if (unknown !== undefined)
    throw usageError(`There is no event ${unknown}.`, `Events: ${noticeEvents.join(", ")}.`);
  const made = await withHooks(call, options, (hooks) =>
    hooks.create({ url, events: events as NoticeEvent[] }),
  );
  if (screen.json) screen.document(made);
  else
    screen.fields([
      ["webhook", paint("bold", made.id)],
      ["address", made.url],
      ["events", made.events.join(" ")],
      ["secret", made.secret],
    ]);
  return exitCodes.ok;
}

async function deliveries(call: CommandCall, id: string, options: PageOptions): Promise<ExitCode> {
  const { screen } = call;
  const { url: _, tenant: __, own: ___, ...page } = options;
  const deliveryPage = await withHooks(call, options, (hooks) => hooks.deliveries(id, page));
  if (screen.json) screen.document(deliveryPage);
  else if (deliveryPage.deliveries.length === 0) screen.say("No notices yet.");
  else {
    screen.table(
      ["AT", "EVENT", "TENANT", "STATUS", "ERROR"],
      deliveryPage.deliveries.map((one) => [
        one.created_at,
        one.event,
        one.notice.tenant_name,
        one.status,
        one.last_error ?? "",
      ]),
    );
    if (deliveryPage.next_cursor !== undefined) screen.say(`More rows: --cursor ${deliveryPage.next_cursor}`);
  }
  return exitCodes.ok;
}

async function remove(call: CommandCall, id: string, options: DeleteOptions): Promise<ExitCode> {
  const { screen } = call;
  requireYes(options, `This would delete the webhook ${id}; its waiting notices are lost.`);
  await withHooks(call, options, (hooks) => hooks.remove(id));
  if (screen.json) screen.document({ deleted: id });
  else screen.say(`Deleted ${id}.`);
  return exitCodes.ok;
}
