import { platformCalls } from "../../contracts/platform/clients/call-platform.ts";
import { type PlatformRunAnswer, runClient } from "../../contracts/platform/clients/run-client.ts";
import type { ServiceAddress } from "../../contracts/service-call.ts";
import { AppError } from "../../kit/app-error.ts";
import type { Clock } from "../../kit/clock.ts";
import { startDeadline } from "../../kit/deadline.ts";
import type { AgentRuns, RunAnswer } from "../../services/gateway/processing/agent-runs.ts";

/** Longer than runs may take. Then the platform is asked again under the same key. */
const answerMs = 5 * 60_000;
const askAgainMs = 2_000;

/** Errors that occur before any byte of a request is sent. */
const unconnected: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ConnectionRefused",
  "ENOTFOUND",
  "EAI_AGAIN",
]);

/** Runs agents by the platform's own route, with the tenant's key. */
export function createAgentRuns(platform: () => ServiceAddress | undefined, clock: Clock): AgentRuns {
  return {
    async run({ agent, apiKey, request, idempotencyKey, traceparent }, signal) {
      const address = platform();
      if (address === undefined) return { kind: "unreachable" };
      const headers = { ...address.headers, "x-api-key": apiKey, traceparent };
      const client = runClient(platformCalls({ ...address, headers }));
      const timedOut = () =>
        new AppError("upstream_timed_out", "platform_timed_out", "The platform did not answer.");
      const patience = startDeadline(clock, answerMs, timedOut, [signal]);
      try {
        return answerOf(await client.run(agent, request, { idempotencyKey, signal: patience.signal }));
      } catch (thrown) {
        signal.throwIfAborted();
        return refusalOf(thrown);
      } finally {
        patience.dispose();
      }
    },
  };
}

function answerOf({ body }: PlatformRunAnswer): RunAnswer {
  switch (body.status) {
    case "ok":
      return { kind: "answered", result: body };
    case "awaiting_approval":
      return { kind: "awaiting", invocationId: body.invocation_id };
    case "in_progress":
      return { kind: "running", retryAfterMs: askAgainMs };
  }
}

/** What the platform's error means. Errors that are not its own come from the way to it. */
function refusalOf(thrown: unknown): RunAnswer {
  if (!(thrown instanceof AppError)) {
    const code = thrown instanceof Error ? String(Reflect.get(thrown, "code") ?? "") : "";
    return { kind: unconnected.has(code) ? "unreachable" : "broken" };
  }
  if (thrown.code === "platform_timed_out") return { kind: "broken" };
  const { retryAfterSeconds } = thrown.details;
  return {
    kind: "refused",
    status: thrown.status,
    code: thrown.code,
    retryAfterMs: retryAfterSeconds === undefined ? undefined : retryAfterSeconds * 1000,
  };
}
