import type { SendResult } from "../../channels/outbox/message-sender.ts";
import { platformCalls } from "../../contracts/platform/clients/call-platform.ts";
import type { ServiceAddress } from "../../contracts/service-call.ts";
import { AppError } from "../../kit/app-error.ts";
import type { Clock } from "../../kit/clock.ts";
import { startDeadline } from "../../kit/deadline.ts";
import type { DeskNotices } from "../../services/gateway/desk/desk-notices.ts";

const answerMs = 10_000;

/** Gives notices through the platform's own route, with the tenant's key. */
export const createDeskNotices = (platform: () => ServiceAddress | undefined, clock: Clock): DeskNotices => ({
  async give(body, apiKey) {
    const address = platform();
    if (address === undefined) return again("platform_unreachable");
    const headers = { ...address.headers, "x-api-key": apiKey };
    const timedOut = () =>
      new AppError("upstream_timed_out", "platform_timed_out", "The platform did not answer.");
    const patience = startDeadline(clock, answerMs, timedOut);
    try {
      const { raw } = platformCalls({ ...address, headers });
      await raw("POST", "/api/v1/desk-notices", { body, signal: patience.signal });
      return { action: "sent" };
    } catch (thrown) {
      return resultOf(thrown);
    } finally {
      patience.dispose();
    }
  },
});

/** A refusal of the notice or its key stays one. */
function resultOf(thrown: unknown): SendResult {
  if (!(thrown instanceof AppError)) return again("platform_unreachable");
  const { code, status, details } = thrown;
  if (status < 500 && status !== 408 && status !== 429) return { action: "final", code };
  const waitMs = details.retryAfterSeconds;
  return { ...again(code), ...(waitMs !== undefined && { waitMs: waitMs * 1000 }) };
}

const again = (code: string): Extract<SendResult, { action: "retry" }> => ({
  action: "retry",
  code,
  isAccountWide: false,
});
