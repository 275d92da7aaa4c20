import { Command } from "commander";
import { type NoticeEvent, noticeEvents, type WebhookList } from "../../contracts/platform/notices.ts";
import type { Call, Perform } from "../call.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { gather, requireYes, wholeNumber, yesOption } from "../option-values.ts";
import { paint } from "../terminal/paint.ts";
import { usageError } from "../terminal/report-error.ts";
import { type PlatformOptions, platformCommand, withOperator } from "./with-platform.ts";

interface CreateOptions extends PlatformOptions {
  event?: string[];
}

interface PageOptions extends PlatformOptions {
  limit?: number;
  cursor?: string;
}

interface DeleteOptions extends PlatformOptions {
  yes?: boolean;
}

export const webhooksCommand = (perform: Perform) =>
  new Command("webhooks")
    .description("manage webhooks for notices of all tenants (operators)")
    .addCommand(
      platformCommand("list", "list webhooks").action((options: PlatformOptions, command: Command) =>
        perform(command, (call) => list(call, options)),
      ),
      { isDefault: true },
    )
    .addCommand(
      platformCommand("create", "add a webhook; prints its secret once")
        .argument("<url>", "https:// or mailto: address")
        .option("--event <name>", `${noticeEvents.join(", ")}; repeatable (all)`, gather)
        .action((url: string, options: CreateOptions, command: Command) =>
          perform(command, (call) => create(call, url, options)),
        ),
    )
    .addCommand(
      platformCommand("deliveries", "list notices to a webhook, newest first")
        .argument("<id>", "a webhook's id")
        .option("--limit <count>", "number of rows, 1 to 200 (50)", wholeNumber(200))
        .option("--cursor <cursor>", "`next_cursor` of the previous page")
        .action((id: string, options: PageOptions, command: Command) =>
          perform(command, (call) => deliveries(call, id, options)),
        ),
    )
    .addCommand(
      platformCommand("delete", "delete a webhook; its waiting notices are lost")
        .argument("<id>", "a webhook's id")
        .addOption(yesOption())
        .action((id: string, options: DeleteOptions, command: Command) =>
          perform(command, (call) => remove(call, id, options)),
        ),
    );

async function list(call: Call, options: PlatformOptions): Promise<ExitCode> {
  const { screen } = call;
  const found = await withOperator(call, options, (client) => client.listWebhooks());
  if (screen.json) screen.document(found);
  else if (found.webhooks.length === 0)
    screen.say("No webhooks. Add one with `argosy platform webhooks create`.");
  else printHooks(call, found);
  return exitCodes.ok;
}

function printHooks({ screen }: Call, { webhooks }: WebhookList): void {
  screen.table(
    ["WEBHOOK", "ADDRESS", "EVENTS"],
    webhooks.map(({ id, url, events }) => [id, paint("bold", url), events.join(" ")]),
  );
}

async function create(call: Call, url: string, { event, ...options }: CreateOptions): Promise<ExitCode> {
  const { screen } = call;
  const events = event ?? [...noticeEvents];
  const unknown = events.find((name) => !noticeEvents.includes(name as NoticeEvent));
  if (unknown !== undefined)
    throw usageError(`There is no event ${unknown}.`, `Events: ${noticeEvents.join(", ")}.`);
  const made = await withOperator(call, options, (client) =>
    client.createWebhook({ url, events: events as NoticeEvent[] }),
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

async function deliveries(call: Call, id: string, options: PageOptions): Promise<ExitCode> {
  const { screen } = call;
  const { url: _, tenant: __, ...page } = options;
  const found = await withOperator(call, options, (client) => client.listDeliveries(id, page));
  if (screen.json) screen.document(found);
  else if (found.deliveries.length === 0) screen.say("No notices yet.");
  else {
    screen.table(
      ["AT", "EVENT", "TENANT", "STATUS", "ERROR"],
      found.deliveries.map((one) => [
        one.created_at,
        one.event,
        one.notice.tenant_name,
        one.status,
        one.last_error ?? "",
      ]),
    );
    if (found.next_cursor !== undefined) screen.say(`More rows: --cursor ${found.next_cursor}`);
  }
  return exitCodes.ok;
}

async function remove(call: Call, id: string, options: DeleteOptions): Promise<ExitCode> {
  const { screen } = call;
  requireYes(options, `This would delete the webhook ${id}; its waiting notices are lost.`);
  await withOperator(call, options, (client) => client.deleteWebhook(id));
  if (screen.json) screen.document({ deleted: id });
  else screen.say(`Deleted ${id}.`);
  return exitCodes.ok;
}
