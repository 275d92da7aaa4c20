import { Command } from "commander";
import type { ChannelName } from "../../contracts/gateway/channels.ts";
import type { Contact } from "../../contracts/gateway/contacts.ts";
import type { CommandCall, Perform } from "../call.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { requireYes, yesOption } from "../option-values.ts";
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
  q?: string;
}

interface ForgetOptions extends GatewayOptions {
  yes?: boolean;
}

export const contactsCommand = (perform: Perform) =>
  new Command("contacts")
    .description("persons and groups, with all their addresses")
    .addCommand(
      listCommand("list", "list contacts, newest first")
        .option("--tenant <id>", "only this tenant's")
        .addOption(channelOption())
        .option("--q <text>", "part of a name or address")
        .action((options: ListOptions, command: Command) => perform(command, (call) => list(call, options))),
    )
    .addCommand(
      gatewayCommand("show", "show a contact")
        .argument("<id>", "the contact's id")
        .action((id: string, options: GatewayOptions, command: Command) =>
          perform(command, (call) => show(call, id, options)),
        ),
    )
    .addCommand(
      gatewayCommand(
        "forget",
        "delete a contact, its messages, files and notes, and what agents remember of it",
      )
        .argument("<id>", "the contact's id")
        .addOption(yesOption())
        .action((id: string, options: ForgetOptions, command: Command) =>
          perform(command, (call) => forget(call, id, options)),
        ),
    );

async function list(call: CommandCall, { tenant, channel, q, ...options }: ListOptions): Promise<ExitCode> {
  const { screen } = call;
  const query = {
    ...pageOf(options),
    ...(tenant !== undefined && { tenant }),
    ...(channel !== undefined && { channel }),
    ...(q !== undefined && { q }),
  };
  const page = await withGateway(call, options, (client) => client.listContacts(query));
  if (screen.json) screen.document(page);
  else if (page.contacts.length === 0) screen.say("No contacts.");
  else
    screen.table(
      ["ID", "TENANT", "CHANNEL", "NAME", "ADDRESSES"],
      page.contacts.map((one) => [one.id, one.tenant_id, one.channel, one.name ?? "", addressesOf(one)]),
    );
  return exitCodes.ok;
}

async function show(call: CommandCall, id: string, options: GatewayOptions): Promise<ExitCode> {
  const { screen } = call;
  const contact = await withGateway(call, options, (client) => client.getContact(id));
  if (screen.json) {
    screen.document(contact);
    return exitCodes.ok;
  }
  screen.table(
    ["FIELD", "VALUE"],
    [
      ["id", contact.id],
      ["tenant", contact.tenant_id],
      ["channel", contact.channel],
      ["name", contact.name ?? ""],
      ["labels", contact.labels.join(", ")],
      ["conversations", contact.conversations.join(", ")],
      ...contact.addresses.map(({ kind, value }) => [kind, value]),
      ...contact.notes.map(({ by, text }) => [by === null ? "note" : `note of ${by}`, text]),
    ],
  );
  return exitCodes.ok;
}

async function forget(call: CommandCall, id: string, options: ForgetOptions): Promise<ExitCode> {
  const { screen } = call;
  requireYes(
    options,
    `This would delete contact ${id}, its messages, files and notes, and what agents remember of it.`,
  );
  const answer = await withGateway(call, options, (client) => client.forgetContact(id));
  if (screen.json) screen.document(answer);
  else
    screen.say(
      answer.pending
        ? `Contact ${id} is gone. The gateway goes on deleting what is left of it.`
        : `Deleted contact ${id} and all that was kept of it.`,
    );
  return exitCodes.ok;
}

const addressesOf = ({ addresses }: Contact): string => addresses.map(({ value }) => value).join(", ");
