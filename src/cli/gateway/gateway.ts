import { Command } from "commander";
import type { Perform } from "../call.ts";
import { accountsCommand } from "./accounts.ts";
import { bindingsCommand } from "./bindings.ts";
import { conversationsCommand } from "./conversations.ts";
import { outboxCommand } from "./outbox.ts";
import { sendCommand } from "./send.ts";
import { trailCommand } from "./trail.ts";

const commands = [
  accountsCommand,
  bindingsCommand,
  sendCommand,
  outboxCommand,
  trailCommand,
  conversationsCommand,
];

export const gatewayGroup = (perform: Perform) => {
  const command = new Command("gateway").description(
    "the messaging gateway: accounts, bindings, messages and conversations",
  );
  for (const define of commands) command.addCommand(define(perform));
  return command;
};
