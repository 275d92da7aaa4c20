import { Command } from "commander";
import type { CommandCall, Perform } from "../call.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { requireYes, wholeNumber, yesOption } from "../option-values.ts";
import { month } from "./billing.ts";
import { type PlatformOptions, platformCommand, withOperator } from "./with-platform.ts";

interface ListOptions extends PlatformOptions {
  period?: string;
  limit?: number;
  cursor?: string;
}

interface VoidOptions extends PlatformOptions {
  reason: string;
  yes?: boolean;
}

export const usageEventsCommand = (perform: Perform) =>
  new Command("usage-events")
    .description("list and void usage events of a subscription (operators)")
    .addCommand(
      platformCommand("list", "list usage events, latest first")
        .argument("<subscription>", "a subscription's id")
        .option("--period <month>", "YYYY-MM (every month)", month)
        .option("--limit <count>", "number of rows, 1 to 200 (50)", wholeNumber(200))
        .option("--cursor <cursor>", "`next_cursor` of the previous page")
        .action((id: string, options: ListOptions, command: Command) =>
          perform(command, (call) => list(call, id, options)),
        ),
    )
    .addCommand(
      platformCommand("void", "let an event of an open period count no longer")
        .argument("<subscription>", "a subscription's id")
        .argument("<event>", "an event's id")
        .requiredOption("--reason <text>", "the reason, for the audit")
        .addOption(yesOption())
        .action((id: string, event: string, options: VoidOptions, command: Command) =>
          perform(command, (call) => voidOne(call, { id, event }, options)),
        ),
    );

async function list(call: CommandCall, id: string, options: ListOptions): Promise<ExitCode> {
  const { screen } = call;
  const { url: _, tenant: __, ...query } = options;
  return withOperator(call, options, async (client) => {
    const events = await client.listUsageEvents(id, query);
    if (screen.json) screen.document(events);
    else if (events.events.length === 0) screen.say("No usage events.");
    else {
      screen.table(
        ["EVENT", "UNIT", "QUANTITY", "AT", "STATUS"],
        events.events.map((one) => [
          one.event_id,
          one.unidad,
          String(one.cantidad),
          one.ocurrido_en,
          one.voided === null ? "counts" : `voided: ${one.voided.reason}`,
        ]),
      );
      if (events.next_cursor !== undefined) screen.say(`More rows: --cursor ${events.next_cursor}`);
    }
    return exitCodes.ok;
  });
}

async function voidOne(
  call: CommandCall,
  { id, event }: { id: string; event: string },
  options: VoidOptions,
): Promise<ExitCode> {
  const { screen } = call;
  requireYes(options, `The event ${event} would no longer count, and its id could not be used again.`);
  const { reason } = options;
  const voided = await withOperator(call, options, (client) =>
    client.voidUsageEvent(id, { event_id: event, reason }),
  );
  if (screen.json) screen.document(voided);
  else screen.say(`Voided ${voided.event_id}: ${voided.cantidad} ${voided.unidad} of ${voided.period}.`);
  return exitCodes.ok;
}
