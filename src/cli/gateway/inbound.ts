import { Command } from "commander";
import type { CommandCall, Perform } from "../call.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import {
  type GatewayOptions,
  gatewayCommand,
  listCommand,
  type PageOptions,
  pageOf,
  withGateway,
} from "./with-gateway.ts";

interface ListOptions extends PageOptions {
  tenant?: string;
}

export const inboundCommand = (perform: Perform) =>
  new Command("inbound")
    .description("look at parked delivered events, and process them again")
    .addCommand(
      listCommand("list", "list parked events, newest first")
        .option("--tenant <id>", "only this tenant's")
        .action((options: ListOptions, command: Command) => perform(command, (call) => list(call, options))),
      { isDefault: true },
    )
    .addCommand(
      gatewayCommand("retry", "process a parked event again")
        .argument("<id>", "the event's id")
        .action((id: string, options: GatewayOptions, command: Command) =>
          perform(command, (call) => retry(call, id, options)),
        ),
    );

async function list(call: CommandCall, options: ListOptions): Promise<ExitCode> {
  const { screen } = call;
  const { tenant } = options;
  const query = { ...pageOf(options), ...(tenant === undefined ? {} : { tenant }) };
  const page = await withGateway(call, options, (client) => client.listParkedEvents(query));
  if (screen.json) {
    screen.document(page);
    return exitCodes.ok;
  }
  if (page.events.length === 0) screen.say("No events are parked.");
  else {
    screen.table(
      ["EVENT", "TENANT", "CHANNEL", "KIND", "FAILED", "INTERRUPTED", "PARKED"],
      page.events.map((one) => [
        one.event_id,
        one.tenant_id,
        one.channel,
        one.kind,
        String(one.failed_tries),
        String(one.interruptions),
        one.parked_at,
      ]),
    );
    const shown = page.offset + page.events.length;
    if (shown < page.total) screen.say(`${shown} of ${page.total}; --offset ${shown} shows more.`);
  }
  return exitCodes.ok;
}

async function retry(call: CommandCall, id: string, options: GatewayOptions): Promise<ExitCode> {
  const { screen } = call;
  const event = await withGateway(call, options, (client) => client.retryEvent(id));
  if (screen.json) screen.document(event);
  else screen.say(`Event ${id} is ${event.state}.`);
  return exitCodes.ok;
}
