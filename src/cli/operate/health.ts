import { Command } from "commander";
import { type Call, loadConfig, type Perform } from "../call.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { paint } from "../terminal/paint.ts";

export const healthCommand = (perform: Perform) =>
  new Command("health")
    .description(
      "check that the running server is ready, for health checks of containers; fails if it is not",
    )
    .option("--services <names>", "only these services, separated by commas")
    .action((options: { services?: string }, command: Command) =>
      perform(command, (call) => health(call, options.services)),
    );

async function health(call: Call, services: string | undefined): Promise<ExitCode> {
  const { screen, shell } = call;
  const config = await loadConfig(call, services === undefined ? {} : { services });
  const checked = await shell.parts.serverHealth(config);
  if (screen.json) screen.document({ services: checked });
  else
    for (const { service, ready, reasons } of checked)
      screen.print(paint(ready ? "green" : "red", ready ? "✓" : "✗"), ` ${[service, ...reasons].join(" ")}`);
  return checked.every(({ ready }) => ready) ? exitCodes.ok : exitCodes.failed;
}
