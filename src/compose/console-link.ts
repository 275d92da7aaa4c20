import { existsSync } from "node:fs";
import type { ConsoleLink } from "../contracts/console/session.ts";
import { callService } from "../contracts/service-call.ts";
import { AppError } from "../kit/app-error.ts";
import { controlSocketPath } from "../storage/files/data-folder.ts";
import type { Config } from "./config.ts";
import { answers } from "./reach.ts";
import { type ServiceName, serviceRules } from "./services.ts";

/** Returns a link to the console of the server that runs on this data folder. Throws AppError `no_server` if none runs. */
export async function openConsoleLink(config: Config): Promise<ConsoleLink> {
  for (const name of Object.keys(serviceRules) as ServiceName[]) {
    const unix = controlSocketPath(config.dataFolder, name);
    if (!existsSync(unix) || !(await answers(unix))) continue;
    const address = {
      baseUrl: "http://localhost",
      fetch: (request: Request) => fetch(request, { unix }),
    };
    try {
      return await (await callService(address, "POST", "/console/links")).json();
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
