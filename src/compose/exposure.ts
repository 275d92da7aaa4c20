import type { Access } from "../http/front-door/front-door.ts";
import { urlHost } from "../http/front-door/host-rule.ts";
import { AppError } from "../kit/app-error.ts";
import { isLoopback } from "../kit/fetch/is-loopback.ts";
import type { Logger } from "../kit/log.ts";
import type { Service } from "./service.ts";
import type { Config } from "./settings/config.ts";
import { type ServiceName, serviceConfig } from "./settings/service-settings.ts";

/** Settings that decide who reaches the services. */
type Reach = Pick<Config, "services" | "access">;

/** Returns true if a service can be reached from other machines: it is not bound to loopback, or it has other host names. */
export function isExposed(config: Reach, name: ServiceName): boolean {
  return !isLoopback(serviceConfig(config.services, name).host) || config.access.allowedHosts.length > 0;
}

const everyAddress: readonly string[] = ["0.0.0.0", "::"];

/**
 * Refuses to bind a service without credentials of its own to a non-loopback address, unless there is a token or the operator explicitly
 * allows it.
 */
export function requireSafeBinding(config: Reach, services: readonly Service[], log: Logger): void {
  const { allowedHosts, apiToken, insecureOpen } = config.access;
  for (const { name: service, guard } of services) {
    const { enabled, host } = serviceConfig(config.services, service);
    if (!enabled || isLoopback(host) || guard === "routes") continue;
    if (apiToken === undefined && !insecureOpen) throw tokenNeeded(service, host);
    if (apiToken === undefined) {
      const message = "Anyone who reaches this address may use it.";
      log.warn("service.open", { service, host, message });
    }
    if (everyAddress.includes(host) && allowedHosts.length === 0) {
      const message = "It answers as localhost alone; ARGOSY_ALLOWED_HOSTS names what else it is called by.";
      log.warn("service.unnamed", { service, host, message });
    }
  }
}

function tokenNeeded(service: string, host: string): AppError {
  const message = `The ${service} may not listen on ${host} without PLATFORM_API_TOKEN.`;
  const hint =
    "Set PLATFORM_API_TOKEN to a secret of at least 32 bytes (`openssl rand -base64 32`), or start with --insecure-open.";
  return new AppError("invalid", "token_needed", message, { details: { hint } });
}

/** Returns the access settings of a service: with the API token, unless its routes check their own credentials. */
export function accessTo(
  config: Reach & Pick<Config, "runtime">,
  { name, guard }: Pick<Service, "name" | "guard">,
  openPaths: readonly string[],
): Access {
  const { allowedHosts, apiToken, insecureOpen, requiresToken, trustedProxies } = config.access;
  const { host } = serviceConfig(config.services, name);
  return {
    exposed: isExposed(config, name) || requiresToken === true,
    // The service's own address is a name that no foreign page can have.
    allowedHosts: everyAddress.includes(host) ? allowedHosts : [...allowedHosts, urlHost(host)],
    guard: guard === "api_token" && insecureOpen ? "none" : guard,
    ...(apiToken === undefined ? {} : { apiToken }),
    ...(apiToken !== undefined && trustsToken(config) && { ownerToken: apiToken }),
    openPaths,
    ...(trustedProxies === undefined ? {} : { trustedProxies }),
  };
}

/** Returns true if a sender with the API token may send manifests with the owner's rights. */
const trustsToken = ({ runtime }: Pick<Config, "runtime">) =>
  runtime.spec.agents?.trusted_senders === "token";
