import { Command } from "commander";
import type { ChannelName } from "../../contracts/gateway/channels.ts";
import type { Call, Perform } from "../call.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { paint } from "../terminal/paint.ts";
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
  channel?: ChannelName;
}

export const conversationsCommand = (perform: Perform) =>
  new Command("conversations")
    .description("read conversations, and take them over")
    .addCommand(
      listCommand("list", "list conversations, most recent first")
        .option("--tenant <id>", "only this tenant's")
        .addOption(channelOption())
        .action((options: ListOptions, command: Command) => perform(command, (call) => list(call, options))),
      { isDefault: true },
    )
    .addCommand(
      listCommand("messages", "list a conversation's messages, oldest first")
        .argument("<id>", "the conversation's id")
        .action((id: string, options: PageOptions, command: Command) =>
          perform(command, (call) => messages(call, id, options)),
        ),
    )
    .addCommand(modeCommand(perform, "takeover", "hand a conversation to people: its agent is silent"))
    .addCommand(modeCommand(perform, "release", "give a conversation back to its agent"));

function modeCommand(perform: Perform, name: "takeover" | "release", description: string): Command {
  return gatewayCommand(name, description)
    .argument("<id>", "the conversation's id")
    .action((id: string, options: GatewayOptions, command: Command) =>
      perform(command, async (call) => {
        const { screen } = call;
        const changed = await withGateway(call, options, (client) =>
          name === "takeover" ? client.takeOver(id) : client.release(id),
        );
        if (screen.json) screen.document(changed);
        else screen.say(`Conversation ${id} is in mode ${changed.mode}.`);
        return exitCodes.ok;
      }),
    );
}

async function list(call: Call, options: ListOptions): Promise<ExitCode> {
  const { screen } = call;
  const { tenant, channel } = options;
  const query = {
    ...pageOf(options),
    ...(tenant === undefined ? {} : { tenant }),
    ...(channel === undefined ? {} : { channel }),
  };
  const page = await withGateway(call, options, (client) => client.listConversations(query));
  if (screen.json) screen.document(page);
  else if (page.conversations.length === 0) screen.say("No conversations.");
  else {
    screen.table(
      ["ID", "TENANT", "CHANNEL", "USER", "AGENT", "MODE", "LAST MESSAGE"],
      page.conversations.map((one) => [
        one.id,
        one.tenant_id,
        one.channel,
        paint("bold", one.contact_name ?? one.external_user),
        one.agent_name ?? "",
        one.mode,
        one.last_message_at,
      ]),
    );
  }
  return exitCodes.ok;
}

async function messages(call: Call, id: string, options: PageOptions): Promise<ExitCode> {
  const { screen } = call;
  const page = await withGateway(call, options, (client) => client.listMessages(id, pageOf(options)));
  if (screen.json) screen.document(page);
  else if (page.messages.length === 0) screen.say("No messages.");
  else {
    screen.table(
      ["AT", "DIRECTION", "KIND", "STATUS", "TEXT"],
      page.messages.map((one) => [one.at, one.direction, one.kind, one.status, one.text]),
    );
  }
  return exitCodes.ok;
}
