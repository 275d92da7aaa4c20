import { segment } from "../../contracts/paths.ts";
import { platformCalls } from "../../contracts/platform/clients/call-platform.ts";
import type { ServiceAddress } from "../../contracts/service-call.ts";
import { AppError } from "../../kit/app-error.ts";
import type { Clock } from "../../kit/clock.ts";
import { startDeadline } from "../../kit/deadline.ts";
import type { RunVerdicts, VerdictAnswer } from "../../services/gateway/processing/run-verdicts.ts";

const answerMs = 10_000;

/** Hands verdicts to the platform's own route, with the tenant's key. */
export function createRunVerdicts(platform: () => ServiceAddress | undefined, clock: Clock): RunVerdicts {
  return {
    async judge({ apiKey, invocationId, given }, signal) {
      const address = platform();
      if (address === undefined) return "unreachable";
      const headers = { ...address.headers, "x-api-key": apiKey };
      const { raw } = platformCalls({ ...address, headers });
      const timedOut = () =>
        new AppError("upstream_timed_out", "platform_timed_out", "The platform did not answer.");
      const patience = startDeadline(clock, answerMs, timedOut, [signal]);
      try {
        const path = `/api/v1/invocations/${segment(invocationId)}/feedback/channel`;
        await raw(given === undefined ? "DELETE" : "PUT", path, { body: given, signal: patience.signal });
        return "kept";
      } catch (thrown) {
        signal.throwIfAborted();
        return answerTo(thrown);
      } finally {
        patience.dispose();
      }
    },
  };
}

/** Refusals that are not final come from the way to the platform, or from its limits. */
const passing: ReadonlySet<number> = new Set([408, 425, 429]);

function answerTo(thrown: unknown): VerdictAnswer {
  if (!(thrown instanceof AppError)) return "unreachable";
  // There is nothing to delete.
  if (thrown.code === "feedback_not_found") return "kept";
  if (thrown.code === "invocation_not_found") return "unknown";
  return thrown.status >= 500 || passing.has(thrown.status) ? "unreachable" : "refused";
}
