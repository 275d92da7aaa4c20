import type { Readiness } from "../../contracts/health.ts";
import { services } from "../services.ts";
import type { Config } from "../settings/config.ts";
import { serviceConfig } from "../settings/service-settings.ts";
import { findServer } from "./reach.ts";

export interface ServiceHealth {
  service: string;
  ready: boolean;
  /** The failed checks with their reasons; empty if it is ready. */
  reasons: string[];
}

/** Asks every enabled service of the server on this data folder if it is ready, over its control socket: no port, no token, no proxy. */
export async function serverHealth(config: Config): Promise<ServiceHealth[]> {
  const enabled = services.filter(({ name }) => serviceConfig(config.services, name).enabled);
  return Promise.all(
    enabled.map(async ({ name }) => {
      const socket = await findServer(config, name);
      if (socket === undefined)
        return { service: name, ready: false, reasons: [`no server answers in ${config.dataFolder}`] };
      const { ok, reasons } = await readinessAt(socket);
      return { service: name, ready: ok, reasons };
    }),
  );
}

async function readinessAt(unix: string): Promise<{ ok: boolean; reasons: string[] }> {
  try {
    const response = await fetch("http://localhost/readyz", { unix });
    const { checks } = (await response.json()) as Readiness;
    const failed = checks.filter((check) => !check.ok);
    return { ok: response.ok, reasons: failed.map(({ name, message }) => `${name}: ${message ?? "failed"}`) };
  } catch {
    return { ok: false, reasons: ["the server ended while it was asked"] };
  }
}
