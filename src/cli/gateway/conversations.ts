import { Command, Option } from "commander";
import type { ChannelName } from "../../contracts/gateway/channels.ts";
import { type ConversationState, conversationStates } from "../../contracts/gateway/desk.ts";
import type { CommandCall, Perform } from "../call.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { paint } from "../terminal/paint.ts";
import {
  channelOption,
  type GatewayOptions,
  gatewayCommand,
  listCommand,
  type PageOptions,
  pageOf,
  personOption,
  withGateway,
} from "./with-gateway.ts";

interface ListOptions extends PageOptions {
  tenant?: string;
  channel?: ChannelName;
  mode?: "bot" | "human";
  state?: ConversationState;
  unread?: true;
  needsPerson?: true;
  undelivered?: true;
  assignee?: string;
  label?: string;
  q?: string;
}

export const conversationsCommand = (perform: Perform) =>
  new Command("conversations")
    .description("read conversations, and take them over")
    .addCommand(
      listCommand("list", "list conversations, most recent first")
        .option("--tenant <id>", "only this tenant's")
        .addOption(channelOption())
        .addOption(new Option("--mode <mode>", "who answers").choices(["bot", "human"]))
        .addOption(new Option("--state <state>", "state of the work").choices([...conversationStates]))
        .option("--unread", "only those with messages that you, or no operator, has read")
        .option("--needs-person", "only those that ask for a person")
        .option("--undelivered", "only those with a message that was accepted and then not delivered")
        .option("--assignee <name>", "only this person's; \"\" is nobody's")
        .option("--label <label>", "only those with this label")
        .option("--q <text>", "part of a name or number, or words of the messages")
        .addOption(personOption())
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
    .addCommand(modeCommand(perform, "release", "give a conversation back to its agent"))
    .addCommand(deskCommand(perform, "note", "add a note that users don't see", "<text...>"))
    .addCommand(deskCommand(perform, "notes", "list a conversation's notes and decisions"))
    .addCommand(
      deskCommand(
        perform,
        "assign",
        "give a conversation to a person, or without a name to nobody",
        "[name]",
      ),
    )
    .addCommand(deskCommand(perform, "label", "set all labels of a conversation", "[labels...]"))
    .addCommand(deskCommand(perform, "snooze", "put a conversation aside until a time (ISO 8601)", "<until>"))
    .addCommand(deskCommand(perform, "resolve", "end the work on a conversation until its user writes"))
    .addCommand(deskCommand(perform, "reopen", "open a resolved or snoozed conversation again"));

function modeCommand(perform: Perform, name: "takeover" | "release", description: string): Command {
  return gatewayCommand(name, description)
    .argument("<id>", "the conversation's id")
    .addOption(personOption())
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

type DeskWork = "note" | "notes" | "assign" | "label" | "snooze" | "resolve" | "reopen";

function deskCommand(perform: Perform, name: DeskWork, description: string, value?: string): Command {
  const command = gatewayCommand(name, description)
    .argument("<id>", "the conversation's id")
    .addOption(personOption());
  if (value !== undefined) command.argument(value);
  return command.action((id: string, ...rest: unknown[]) => {
    const [options, called] = rest.slice(-2) as [GatewayOptions, Command];
    const given = rest
      .slice(0, -2)
      .flat()
      .filter((word) => typeof word === "string");
    return perform(called, (call) => work(call, name, id, given, options));
  });
}

async function work(
  call: CommandCall,
  name: DeskWork,
  id: string,
  given: readonly string[],
  options: GatewayOptions,
): Promise<ExitCode> {
  const { screen } = call;
  const [first = ""] = given;
  await withGateway(call, options, async (client) => {
    if (name === "notes") {
      const list = await client.listDeskEntries(id);
      if (screen.json) screen.document(list);
      else if (list.entries.length === 0) screen.say("No notes.");
      else
        screen.table(
          ["AT", "BY", "KIND", "TEXT"],
          list.entries.map(({ at, by, kind, text }) => [at, by ?? "", kind, text]),
        );
      return;
    }
    if (name === "note") {
      const note = await client.addNote(id, given.join(" "));
      if (screen.json) screen.document(note);
      else screen.say(`Noted in conversation ${id}.`);
      return;
    }
    const changed = await {
      assign: () => client.assign(id, first === "" ? null : first),
      label: () => client.setLabels(id, given),
      snooze: () => client.snooze(id, first),
      resolve: () => client.resolve(id),
      reopen: () => client.reopen(id),
    }[name]();
    const { state, assignee, labels } = changed;
    if (screen.json) screen.document(changed);
    else
      screen.say(
        `Conversation ${id} is ${state}, ${assignee === null ? "nobody's" : `${assignee}'s`}${labels.length === 0 ? "" : `, labelled ${labels.join(", ")}`}.`,
      );
  });
  return exitCodes.ok;
}

async function list(call: CommandCall, options: ListOptions): Promise<ExitCode> {
  const { screen } = call;
  const { tenant, channel, mode, state, unread, needsPerson, undelivered, assignee, label, q } = options;
  const query = {
    ...pageOf(options),
    ...(tenant === undefined ? {} : { tenant }),
    ...(channel === undefined ? {} : { channel }),
    ...(mode === undefined ? {} : { mode }),
    ...(state === undefined ? {} : { state }),
    ...(unread === undefined ? {} : { unread }),
    ...(needsPerson === undefined ? {} : { needs_person: needsPerson }),
    ...(undelivered === undefined ? {} : { undelivered }),
    ...(assignee === undefined ? {} : { assignee }),
    ...(label === undefined ? {} : { label }),
    ...(q === undefined ? {} : { q }),
  };
  const page = await withGateway(call, options, (client) => client.listConversations(query));
  if (screen.json) screen.document(page);
  else if (page.conversations.length === 0) screen.say("No conversations.");
  else {
    screen.table(
      [
        "ID",
        "TENANT",
        "CHANNEL",
        "USER",
        "AGENT",
        "MODE",
        "STATE",
        "ASSIGNEE",
        "UNREAD",
        "NEEDS",
        "LAST MESSAGE",
        "FREE TEXT UNTIL",
      ],
      page.conversations.map((one) => [
        one.id,
        one.tenant_id,
        one.channel,
        paint("bold", one.contact_name ?? one.external_user),
        one.agent_name ?? "",
        one.mode,
        one.state,
        one.assignee ?? "",
        String(one.unread),
        one.needs_person?.reason ?? "",
        one.last_message_at,
        one.window_closes_at ?? "",
      ]),
    );
  }
  return exitCodes.ok;
}

async function messages(call: CommandCall, id: string, options: PageOptions): Promise<ExitCode> {
  const { screen } = call;
  const page = await withGateway(call, options, (client) => client.listMessages(id, pageOf(options)));
  if (screen.json) screen.document(page);
  else if (page.messages.length === 0) screen.say("No messages.");
  else {
    screen.table(
      ["AT", "DIRECTION", "KIND", "STATUS", "BY", "TEXT"],
      page.messages.map((one) => [
        one.at,
        one.direction,
        one.kind,
        one.status,
        one.author ?? "",
        [...one.media.map(({ kind, id }) => (id === undefined ? `[${kind}]` : `[${kind} ${id}]`)), one.text]
          .join(" ")
          .trim(),
      ]),
    );
  }
  return exitCodes.ok;
}
