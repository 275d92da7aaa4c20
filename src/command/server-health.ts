import { services } from "../compose/services.ts";
import type { Config } from "../compose/settings/config.ts";
import { type ServiceName, serviceConfig } from "../compose/settings/service-settings.ts";
import { asList } from "../compose/settings/setting.ts";
import type { Readiness } from "../contracts/health.ts";
import { AppError } from "../kit/app-error.ts";
import { findServers } from "./reach.ts";

export interface ServiceHealth {
  service: string;
  ready: boolean;
  /** The failed checks with their reasons; empty if it is ready. */
  reasons: string[];
}

/**
 * Asks the services of the server on this data folder if they are ready, over their control sockets: no port, no token, no proxy. Without
 * `names`, these are the services that it serves.
 */
export async function serverHealth(
  config: Pick<Config, "dataFolder" | "services">,
  names?: string,
): Promise<ServiceHealth[]> {
  const only = names === undefined ? undefined : servicesNamed(names);
  const served = await findServers(config);
  if (served.length === 0) {
    const reasons = [`no server answers in ${config.dataFolder}`];
    const enabled = services.filter(({ name }) => serviceConfig(config.services, name).enabled);
    return (only ?? enabled.map(({ name }) => name)).map((service) => ({ service, ready: false, reasons }));
  }
  return Promise.all(
    (only ?? served.map(({ service }) => service)).map(async (service) => {
      const health = served.find((one) => one.service === service);
      if (health === undefined)
        return { service, ready: false, reasons: ["the running server doesn't serve it"] };
      const { ok, reasons } = await readinessAt(health.socket);
      return { service, ready: ok, reasons };
    }),
  );
}

/** Reads a comma-separated list of services. Throws AppError `usage`. */
function servicesNamed(text: string): ServiceName[] {
  const known = services.map(({ name }) => name);
  const named = known.filter((name) => asList(text)?.includes(name));
  if (named.length > 0 && named.length === asList(text)?.length) return named;
  throw new AppError("invalid", "usage", `--services must be a comma-separated list of ${known.join(", ")}.`);
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
