import { socketAddress } from "../compose/peers.ts";
import type { Config } from "../compose/settings/config.ts";
import type { DrillDescription, DrillEvent } from "../contracts/drill.ts";
import { callService } from "../contracts/service-call.ts";
import { AppError } from "../kit/app-error.ts";
import { drillPath } from "../services/daemon/drill/drill-route.ts";
import { chosenDrills, type DrillChoice, describeDrills } from "../services/daemon/drill/run-drills.ts";
import { findServers, notServed } from "./reach.ts";

/** Describes the drills with these names, or all. Throws `unknown_drill`. */
export const describeDrillsHere = (only: readonly string[] | undefined): DrillDescription[] =>
  describeDrills(chosenDrills(only));

/** Performs drills in the server that runs on this data folder, and yields its events. Leaving early ends the drill there. */
export async function* performDrills(
  config: Config,
  { only, everyone }: DrillChoice,
  signal: AbortSignal,
): AsyncGenerator<DrillEvent> {
  const served = await findServers(config);
  if (served.length === 0) throw noServer();
  const socket = served.find(({ service }) => service === "daemon")?.socket;
  if (socket === undefined)
    throw notServed(
      ["daemon"],
      served.map(({ service }) => service),
    );
  const query = new URLSearchParams({
    ...(only === undefined ? {} : { only: only.join(",") }),
    ...(everyone ? { all: "true" } : {}),
  });
  const response = await callService(socketAddress(socket), "POST", `${drillPath}?${query}`, { signal });
  let rest = "";
  let hasEnded = false;
  const decoder = new TextDecoder();
  for await (const bytes of response.body ?? []) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const event: DrillEvent = JSON.parse(line);
      hasEnded ||= event.type === "ended";
      yield event;
    }
  }
  if (!hasEnded) throw cutOff();
}

const noServer = () =>
  new AppError("unavailable", "no_server", "No server is running on this data folder.", {
    details: { hint: "Start one with `argosy serve`, or name its folder with --data." },
  });

const cutOff = () =>
  new AppError("unavailable", "drill_cut_off", "The server ended during the drill.", {
    details: { hint: "Its log says why. A restart has no injected faults." },
  });
