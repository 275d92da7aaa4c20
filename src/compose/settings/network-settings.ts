import {
  nothingOpened,
  type OpenedNetworks,
  openedNetworks,
} from "../../engine/tools/network/opened-networks.ts";
import type { Problem } from "../../kit/app-error.ts";
import type { Logger } from "../../kit/log.ts";
import type { RuntimeFile } from "../../manifest/runtime-file.ts";
import { asList, type SettingReader } from "./setting.ts";

const path = "spec.network.allow";

/** Returns a problem for each invalid entry of `spec.network.allow`. */
export function networkProblems({ spec }: RuntimeFile): Problem[] {
  const { faults } = openedNetworks(spec.network?.allow ?? []);
  return faults.map(({ index, message }) => ({ path: `${path}[${index}]`, message }));
}

/** Reads the private networks and hosts that agents may reach. Only the file can open them. */
export function readNetwork(reader: SettingReader, runtime: RuntimeFile): OpenedNetworks {
  for (const { path, message } of networkProblems(runtime)) reader.fault(`runtime.yaml ${path}`, message);
  const allow = runtime.spec.network?.allow ?? [];
  const value = allow.length === 0 ? undefined : allow.join(",");
  reader.find({ key: "network.allow", file: { path, value }, read: asList, expects: "networks and hosts" });
  return allow.length === 0 ? nothingOpened : openedNetworks(allow).opened;
}

/** Logs at each start which networks agents may reach besides the public internet. */
export function announceOpenedNetworks({ spec }: RuntimeFile, log: Logger): void {
  const allow = spec.network?.allow ?? [];
  if (allow.length > 0) {
    log.warn("network.opened", {
      allow,
      message: "Tools of agents may reach these private networks and hosts.",
    });
  }
}
