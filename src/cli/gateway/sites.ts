import { Command } from "commander";
import type { WebchatSite } from "../../contracts/gateway/webchat.ts";
import type { CommandCall, Perform } from "../call.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { type GatewayOptions, gatewayCommand, withGateway } from "./with-gateway.ts";

export const sitesCommand = (perform: Perform) =>
  new Command("sites")
    .description("say which web pages may show the chat of a webchat account")
    .addCommand(
      gatewayCommand("show", "list the origins whose pages may show the chat")
        .argument("<account>", "the account's external id")
        .action((account: string, options: GatewayOptions, command: Command) =>
          perform(command, (call) => show(call, account, options)),
        ),
    )
    .addCommand(
      gatewayCommand("set", "allow these origins, and no others")
        .argument("<account>", "the account's external id")
        .argument("<origins...>", "scheme, host and port, such as https://shop.example")
        .action((account: string, origins: string[], options: GatewayOptions, command: Command) =>
          perform(command, (call) => set(call, account, origins, options)),
        ),
    );

async function show(call: CommandCall, account: string, options: GatewayOptions): Promise<ExitCode> {
  const site = await withGateway(call, options, (client) => client.getWebchatSite(account));
  return print(call, site);
}

async function set(
  call: CommandCall,
  account: string,
  origins: readonly string[],
  options: GatewayOptions,
): Promise<ExitCode> {
  const site = await withGateway(call, options, (client) =>
    client.saveWebchatSite(account, { origins: [...origins] }),
  );
  return print(call, site);
}

function print({ screen }: CommandCall, site: WebchatSite): ExitCode {
  if (screen.json) screen.document(site);
  else if (site.origins.length === 0) screen.say("No page may show this chat.");
  else for (const origin of site.origins) screen.print(origin);
  return exitCodes.ok;
}
