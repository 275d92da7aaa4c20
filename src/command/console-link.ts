import { socketAddress } from "../compose/peers.ts";
import type { Config } from "../compose/settings/config.ts";
import type { ConsoleLink } from "../contracts/console/session.ts";
import { callService } from "../contracts/service-call.ts";
import { AppError } from "../kit/app-error.ts";
import { findServers } from "./reach.ts";

/** Returns a link to the console of the server that runs on this data folder. Throws AppError `no_server` if none runs. */
export async function openConsoleLink(config: Pick<Config, "dataFolder">): Promise<ConsoleLink> {
  const [server] = await findServers(config);
  if (server !== undefined) {
    try {
      return await (await callService(socketAddress(server.socket), "POST", "/console/links")).json();
    } catch (thrown) {
      if (thrown instanceof AppError && thrown.kind === "not_found") throw switchedOff(thrown);
      throw thrown;
    }
  }
  throw new AppError("unavailable", "no_server", `No server runs on the data folder ${config.dataFolder}.`, {
    details: { hint: "Start one with `argosy serve`, or name another folder with --workspace or --data." },
  });
}

function switchedOff(cause: AppError): AppError {
  return new AppError(
    "conflict",
    "console_off",
    "The server that runs here was started without its console.",
    {
      cause,
      details: { hint: "Start it without ARGOSY_CONSOLE=off." },
    },
  );
}
