import { type Logger, silentLogger } from "../kit/log.ts";
import type { DoctorCheckup } from "../services/daemon/system/doctor.ts";
import { requireSafeBinding } from "./exposure.ts";
import type { Foundation } from "./foundation.ts";
import type { Service } from "./service.ts";
import { checkTls } from "./settings/tls.ts";

/** The doctor's checks of what a start refuses or warns of: the addresses of the services, and the certificate if there is one. */
export function startCheckups(
  { config, clock, tls, untrustedProxies }: Pick<Foundation, "config" | "clock" | "tls" | "untrustedProxies">,
  services: readonly Service[],
): DoctorCheckup[] {
  return [
    { name: "addresses", look: () => checkAddresses(config, services) },
    { name: "proxies", look: async () => checkProxies(untrustedProxies.proxies()) },
    ...(config.tls === undefined ? [] : [{ name: "tls", look: async () => checkTls(config, tls, clock) }]),
  ];
}

async function checkAddresses(config: Foundation["config"], services: readonly Service[]) {
  const risks: string[] = [];
  requireSafeBinding(config, services, collecting(risks));
  // The services' own check-ups report their risks.
  for (const service of services) await service.requireSafe?.(config, silentLogger);
  if (risks.length > 0) {
    return {
      status: "degraded",
      message: risks.join(" "),
      mend: "set PLATFORM_API_TOKEN and ARGOSY_ALLOWED_HOSTS, or listen on 127.0.0.1",
    } as const;
  }
  return { status: "healthy", message: "The services may listen on the addresses that they have." } as const;
}

function checkProxies(forgotten: readonly string[]) {
  if (forgotten.length === 0)
    return { status: "healthy", message: "No unknown proxy forwarded requests in the last day." } as const;
  const [are, do_] = forgotten.length === 1 ? ["is", "forwards"] : ["are", "forward"];
  return {
    status: "degraded",
    message: `${forgotten.join(", ")} ${do_} requests but ${are} not a trusted proxy: all callers behind it share the limits of sign-ins and of the web chat.`,
    mend: `set ARGOSY_TRUSTED_PROXIES to ${forgotten.join(",")} if that is your proxy, then restart Argosy`,
  } as const;
}

/** Returns a logger that adds the message of each warning to `risks`. */
function collecting(risks: string[]): Logger {
  return {
    ...silentLogger,
    warn(_event, { service, host, message } = {}) {
      risks.push(`The ${service} listens on ${host}: ${message}`);
    },
  };
}
