import type { RuntimeClient } from "../../contracts/runtime/client.ts";
import { runtimeClient } from "../../contracts/runtime/http-client.ts";
import { AppError } from "../../kit/app-error.ts";
import type { Foundation } from "../foundation.ts";

/** Returns the runtime for the platform's agents: a configured daemon on another machine, or else the one of this process. */
export function runtimeOf({ config, findService }: Foundation): RuntimeClient {
  const { runtimeUrl } = config.platform;
  if (runtimeUrl !== undefined) {
    return runtimeClient({
      fetch: (request) => fetch(request),
      baseUrl: runtimeUrl,
      headers: { authorization: `Bearer ${config.runtimeToken}` },
    });
  }
  const here = findService("daemon")?.runtime;
  if (here !== undefined) return here;
  throw new AppError("invalid", "runtime_needed", "The platform has no runtime for its agents.", {
    details: {
      hint: "Start the daemon beside it, or name one elsewhere by spec.platform.runtime_url and PLATFORM_RUNTIME_TOKEN.",
    },
  });
}
