import { Command } from "commander";
import { type CommandCall, loadConfig, type Perform } from "../call.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { accountsCommand } from "./accounts.ts";
import { bindingsCommand } from "./bindings.ts";
import { contactsCommand } from "./contacts.ts";
import { conversationsCommand } from "./conversations.ts";
import { filesCommand } from "./files.ts";
import { inboundCommand } from "./inbound.ts";
import { outboxCommand } from "./outbox.ts";
import { reportsCommand } from "./reports.ts";
import { sendCommand } from "./send.ts";
import { sitesCommand } from "./sites.ts";
import { templatesCommand } from "./templates.ts";
import { trailCommand } from "./trail.ts";

const commands = [
  accountsCommand,
  bindingsCommand,
  sitesCommand,
  sendCommand,
  outboxCommand,
  inboundCommand,
  trailCommand,
  conversationsCommand,
  contactsCommand,
  reportsCommand,
  filesCommand,
  templatesCommand,
];

export const gatewayGroup = (perform: Perform) => {
  const command = new Command("gateway").description(
    "the messaging gateway: accounts, bindings, messages and conversations",
  );
  for (const define of commands) command.addCommand(define(perform));
  return (
    command
      .option("--ui", "print a link to the gateway's pages in the web console; it works once")
      // Otherwise a mistyped command is taken for an argument.
      .allowExcessArguments()
      .action(({ ui }: { ui?: true }, called: Command) => {
        const [unknown] = called.args;
        if (unknown !== undefined) {
          called.error(`error: unknown command '${unknown}'`, { code: "commander.unknownCommand" });
        }
        if (ui !== true) return called.help({ error: true });
        return perform(called, printLink);
      })
  );
};

async function printLink(call: CommandCall): Promise<ExitCode> {
  const { shell, screen } = call;
  const link = await shell.parts.consoleLink(await loadConfig(call));
  const url = new URL(link.url);
  url.pathname = "/gateway";
  if (screen.json) screen.document({ ...link, url: url.href });
  else screen.print(url.href);
  return exitCodes.ok;
}
