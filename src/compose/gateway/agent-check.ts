import { segment } from "../../contracts/paths.ts";
import { ownerHeader } from "../../contracts/platform/agents.ts";
import type { ServiceAddress } from "../../contracts/service-call.ts";
import { serviceUrl } from "../../contracts/service-call.ts";
import { AppError } from "../../kit/app-error.ts";
import type { Clock } from "../../kit/clock.ts";
import { startDeadline } from "../../kit/deadline.ts";
import type { AgentQuestion, BindingCheck } from "../../services/gateway/bindings/agent-check.ts";

const answerMs = 10_000;

/** Asks the platform for an agent by its own route, with the tenant's key. */
export function createAgentCheck(platform: () => ServiceAddress | undefined, clock: Clock): BindingCheck {
  const ask = async ({ apiKey, agent }: AgentQuestion, signal: AbortSignal): Promise<Response> => {
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
      return response;
    } finally {
      patience.dispose();
    }
  };
  return {
    async look(question, signal) {
      const { ok, status } = await ask(question, signal);
      if (ok) return "known";
      if (status === 404) return "unknown_agent";
      if (status === 401 || status === 403) return "key_refused";
      throw unreachable(`It answered ${status}.`);
    },
    ownerOf: async (question, signal) => (await ask(question, signal)).headers.get(ownerHeader) ?? undefined,
  };
}

const unreachable = (message: string) => new AppError("upstream_failed", "platform_unreachable", message);
