import { platformCalls } from "../../contracts/platform/clients/call-platform.ts";
import type { ServiceAddress } from "../../contracts/service-call.ts";
import { AppError } from "../../kit/app-error.ts";
import type { Clock } from "../../kit/clock.ts";
import { startDeadline } from "../../kit/deadline.ts";
import type { AgentSessions } from "../../services/gateway/contacts/agent-sessions.ts";

const answerMs = 30_000;

/** Has sessions forgotten through the platform's own route, with the tenant's key. */
export function createAgentSessions(platform: () => ServiceAddress | undefined, clock: Clock): AgentSessions {
  return {
    async forget({ apiKey, sessionId }, signal) {
      const address = platform();
      if (address === undefined) return "later";
      const headers = { ...address.headers, "x-api-key": apiKey };
      const { raw } = platformCalls({ ...address, headers });
      const timedOut = () =>
        new AppError("upstream_timed_out", "platform_timed_out", "The platform did not answer.");
      const patience = startDeadline(clock, answerMs, timedOut, [signal]);
      try {
        const body = { session_id: sessionId };
        await raw("POST", "/api/v1/sessions/forget", { body, signal: patience.signal });
        return "forgotten";
      } catch (thrown) {
        signal.throwIfAborted();
        const isRefused = thrown instanceof AppError && (thrown.status === 401 || thrown.status === 403);
        return isRefused ? "refused" : "later";
      } finally {
        patience.dispose();
      }
    },
  };
}
