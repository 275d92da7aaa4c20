import { Command } from "commander";
import { type CommandCall, type Perform, readConfig } from "../call.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { paint } from "../terminal/paint.ts";

export const healthCommand = (perform: Perform) =>
  new Command("health")
    .description(
      "check that the running server is ready, for health checks of containers; fails if it is not",
    )
    .option("--services <names>", "these services, separated by commas (those that the server serves)")
    .action((options: { services?: string }, command: Command) =>
      perform(command, (call) => health(call, options.services)),
    );

async function health(call: CommandCall, services: string | undefined): Promise<ExitCode> {
  const { screen, shell } = call;
  const checked = await shell.parts.serverHealth(await readConfig(call), services);
  if (screen.json) screen.document({ services: checked });
  else
    for (const { service, ready, reasons } of checked)
      screen.print(paint(ready ? "green" : "red", ready ? "✓" : "✗"), ` ${[service, ...reasons].join(" ")}`);
  return checked.every(({ ready }) => ready) ? exitCodes.ok : exitCodes.failed;
}
