import type { Command } from "commander";
import type { TrailEvent } from "../../contracts/gateway/trail.ts";
import type { CommandCall, Perform } from "../call.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { paint } from "../terminal/paint.ts";
import { listCommand, type PageOptions, pageOf, withGateway } from "./with-gateway.ts";

interface TrailOptions extends PageOptions {
  tenant?: string;
}

export const trailCommand = (perform: Perform) =>
  listCommand("trail", "tell what became of messages")
    .argument("<id>", "a message's id, the provider's id, or a user's address")
    .option("--tenant <id>", "only this tenant's")
    .action((id: string, options: TrailOptions, command: Command) =>
      perform(command, (call) => trail(call, id, options)),
    );

async function trail(call: CommandCall, id: string, options: TrailOptions): Promise<ExitCode> {
  const { screen } = call;
  const { tenant } = options;
  const query = { ...pageOf(options), ...(tenant === undefined ? {} : { tenant }) };
  const found = await withGateway(call, options, (client) => client.trail(id, query));
  if (screen.json) {
    screen.document(found);
    return exitCodes.ok;
  }
  for (const message of found.messages) {
    const way = message.direction === "inbound" ? "from" : "to";
    screen.print(
      paint("bold", message.message_id),
      ` ${message.channel} ${way} ${message.address ?? "?"}`,
      paint("dim", message.channel_message_id === null ? "" : `  ${message.channel_message_id}`),
    );
    for (const event of message.events) {
      screen.print(paint("dim", `  ${event.at}  `), event.event.padEnd(10), paint("dim", detailsOf(event)));
    }
  }
  return exitCodes.ok;
}

function detailsOf({ channel_message_id, related_id, details = {} }: TrailEvent): string {
  const parts = Object.entries(details).map(([name, value]) => `${name}=${value}`);
  if (channel_message_id !== undefined) parts.push(`provider_id=${channel_message_id}`);
  if (related_id !== undefined) parts.push(`related=${related_id}`);
  return parts.join(" ");
}
