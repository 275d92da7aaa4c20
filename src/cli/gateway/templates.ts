import type { Command } from "commander";
import type { CommandCall, Perform } from "../call.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { paint } from "../terminal/paint.ts";
import { type GatewayOptions, gatewayCommand, withGateway } from "./with-gateway.ts";

interface TemplateOptions extends GatewayOptions {
  account: string;
}

export const templatesCommand = (perform: Perform) =>
  gatewayCommand("templates", "list the templates of an account, as its provider has them")
    .requiredOption("--account <id>", "the account's id")
    .action((options: TemplateOptions, command: Command) => perform(command, (call) => list(call, options)));

async function list(call: CommandCall, options: TemplateOptions): Promise<ExitCode> {
  const { screen } = call;
  const found = await withGateway(call, options, (client) => client.listTemplates(options.account));
  if (screen.json) screen.document(found);
  else if (found.templates.length === 0) screen.say("No templates.");
  else {
    screen.table(
      ["NAME", "LANGUAGE", "STATUS", "PLACEHOLDERS", "TEXT"],
      found.templates.map((one) => [
        paint("bold", one.name),
        one.language,
        one.status,
        one.params.map((param) => `${param.in}:${param.name}`).join(" "),
        one.preview.replaceAll("\n", " / "),
      ]),
    );
  }
  return exitCodes.ok;
}
