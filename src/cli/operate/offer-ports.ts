import type { TakenPort } from "../../command/free-ports.ts";
import type { Config } from "../../compose/settings/config.ts";
import type { CommandCall } from "../call.ts";
import { askYesNo, canAsk } from "../terminal/ask.ts";
import { paint } from "../terminal/paint.ts";

/** Offers a person the next free port for each that another program has. Otherwise the start refuses taken ports. */
export async function offerPorts({ shell, screen }: CommandCall, config: Config): Promise<Config> {
  if (!canAsk(shell)) return config;
  const taken = await shell.parts.takenPorts(config);
  if (taken.length === 0) return config;
  for (const { service, port, free } of taken)
    screen.say(paint("yellow", service), ` port ${port} is taken by another program; ${free} is free`);
  return (await askYesNo(shell, question(taken))) ? shell.parts.withFreePorts(config, taken) : config;
}

function question(taken: readonly TakenPort[]): string {
  const [only] = taken;
  return only !== undefined && taken.length === 1
    ? `Serve the ${only.service} on port ${only.free} this time?`
    : "Serve on these free ports this time?";
}
