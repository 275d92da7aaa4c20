import { segment } from "../../contracts/paths.ts";
import type { ServiceAddress } from "../../contracts/service-call.ts";
import { serviceUrl } from "../../contracts/service-call.ts";
import { AppError } from "../../kit/app-error.ts";
import type { Clock } from "../../kit/clock.ts";
import { startDeadline } from "../../kit/deadline.ts";
import type { AgentCheck } from "../../services/gateway/bindings/agent-check.ts";

const answerMs = 10_000;

/** Asks the platform for an agent by its own route, with the tenant's key. */
export function createAgentCheck(platform: () => ServiceAddress | undefined, clock: Clock): AgentCheck {
  return {
    async look({ apiKey, agent }, signal) {
      const address = platform();
      if (address === undefined) {
        throw unreachable("No platform runs in this process, and GATEWAY_PLATFORM_URL is not set.");
      }
      const patience = startDeadline(clock, answerMs, () => unreachable("It gave no answer in time."), [
        signal,
      ]);
      try {
        const response = await address.fetch(
          new Request(serviceUrl(address.baseUrl, `/api/v1/agents/${segment(agent)}`), {
            headers: { accept: "application/json", ...address.headers, "x-api-key": apiKey },
            redirect: "manual",
            signal: patience.signal,
          }),
        );
        await response.body?.cancel();
        if (response.ok) return "known";
        if (response.status === 404) return "unknown_agent";
        if (response.status === 401 || response.status === 403) return "key_refused";
        throw unreachable(`It answered ${response.status}.`);
      } finally {
        patience.dispose();
      }
    },
  };
}

const unreachable = (message: string) => new AppError("upstream_failed", "platform_unreachable", message);
