import { Command, Option } from "commander";
import { type DeliveryStatus, deliveryStatuses, type OutboxEntry } from "../../contracts/gateway/admin.ts";
import type { ChannelName } from "../../contracts/gateway/channels.ts";
import { type MessageStatus, messageStatuses } from "../../contracts/gateway/messages.ts";
import type { CommandCall, Perform } from "../call.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { type Inline, paint } from "../terminal/paint.ts";
import {
  channelOption,
  type GatewayOptions,
  gatewayCommand,
  listCommand,
  type PageOptions,
  pageOf,
  withGateway,
} from "./with-gateway.ts";

interface ListOptions extends PageOptions {
  tenant?: string;
  status?: MessageStatus;
  deliveryStatus?: DeliveryStatus;
  channel?: ChannelName;
}

export const outboxCommand = (perform: Perform) =>
  new Command("outbox")
    .description("look at outbound messages, and queue failed ones again")
    .addCommand(
      listCommand("list", "list outbound messages, newest first")
        .option("--tenant <id>", "only this tenant's")
        .addOption(new Option("--status <status>", "only in this status").choices([...messageStatuses]))
        .addOption(
          new Option(
            "--delivery-status <status>",
            "only those of which the provider said this; failed: accepted, but not delivered",
          ).choices([...deliveryStatuses]),
        )
        .addOption(channelOption())
        .action((options: ListOptions, command: Command) => perform(command, (call) => list(call, options))),
      { isDefault: true },
    )
    .addCommand(
      gatewayCommand("retry", "send a failed or undelivered message again")
        .argument("<id>", "the message's id")
        .action((id: string, options: GatewayOptions, command: Command) =>
          perform(command, (call) => retry(call, id, options)),
        ),
    );

async function list(call: CommandCall, options: ListOptions): Promise<ExitCode> {
  const { screen } = call;
  const { tenant, status, deliveryStatus, channel } = options;
  const page = await withGateway(call, options, (client) =>
    client.listOutbox({
      ...pageOf(options),
      ...(tenant === undefined ? {} : { tenant }),
      ...(status === undefined ? {} : { status }),
      ...(deliveryStatus === undefined ? {} : { delivery_status: deliveryStatus }),
      ...(channel === undefined ? {} : { channel }),
    }),
  );
  if (screen.json) {
    screen.document(page);
    return exitCodes.ok;
  }
  if (page.entries.length === 0) screen.say("No messages.");
  else {
    screen.table(
      ["MESSAGE", "TENANT", "CHANNEL", "RECIPIENT", "STATUS", "TRIES", "CREATED", "ERROR"],
      page.entries.map((one) => [
        one.message_id,
        one.tenant_id,
        one.channel,
        one.recipient,
        painted(one),
        String(one.attempts),
        one.created_at,
        one.last_error ?? "",
      ]),
    );
    const shown = page.offset + page.entries.length;
    if (shown < page.total) screen.say(`${shown} of ${page.total}; --offset ${shown} shows more.`);
  }
  return exitCodes.ok;
}

/** What the provider said last, once it has accepted the message. */
function painted({ status, delivery_status: delivery }: OutboxEntry): Inline {
  const word = status === "sent" && delivery !== null ? delivery : status;
  if (word === "failed") return paint("red", status === "sent" ? "undelivered" : word);
  return paint(status === "sent" && word !== "resent" ? "green" : "yellow", word);
}

async function retry(call: CommandCall, id: string, options: GatewayOptions): Promise<ExitCode> {
  const { screen } = call;
  const entry = await withGateway(call, options, (client) => client.retryMessage(id));
  if (screen.json) screen.document(entry);
  else if (entry.message_id === id) screen.say(`Message ${id} is ${entry.status}.`);
  else screen.say(`Message ${id} is sent again as ${entry.message_id}.`);
  return exitCodes.ok;
}
