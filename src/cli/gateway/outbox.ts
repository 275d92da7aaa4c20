import { Command, Option } from "commander";
import type { ChannelName } from "../../contracts/gateway/channels.ts";
import { type MessageStatus, messageStatuses } from "../../contracts/gateway/messages.ts";
import type { Call, Perform } from "../call.ts";
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
  channel?: ChannelName;
}

export const outboxCommand = (perform: Perform) =>
  new Command("outbox")
    .description("look at outbound messages, and queue failed ones again")
    .addCommand(
      listCommand("list", "list outbound messages, newest first")
        .option("--tenant <id>", "only this tenant's")
        .addOption(new Option("--status <status>", "only in this status").choices([...messageStatuses]))
        .addOption(channelOption())
        .action((options: ListOptions, command: Command) => perform(command, (call) => list(call, options))),
      { isDefault: true },
    )
    .addCommand(
      gatewayCommand("retry", "queue a failed message again")
        .argument("<id>", "the message's id")
        .action((id: string, options: GatewayOptions, command: Command) =>
          perform(command, (call) => retry(call, id, options)),
        ),
    );

async function list(call: Call, options: ListOptions): Promise<ExitCode> {
  const { screen } = call;
  const { tenant, status, channel } = options;
  const page = await withGateway(call, options, (client) =>
    client.listOutbox({
      ...pageOf(options),
      ...(tenant === undefined ? {} : { tenant }),
      ...(status === undefined ? {} : { status }),
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
        painted(one.status),
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

function painted(status: MessageStatus): Inline {
  if (status === "sent") return paint("green", status);
  return paint(status === "failed" ? "red" : "yellow", status);
}

async function retry(call: Call, id: string, options: GatewayOptions): Promise<ExitCode> {
  const { screen } = call;
  const entry = await withGateway(call, options, (client) => client.retryMessage(id));
  if (screen.json) screen.document(entry);
  else screen.say(`Message ${id} is ${entry.status}.`);
  return exitCodes.ok;
}
