import { type ServiceAddress, serviceUrl } from "../../contracts/service-call.ts";
import { AppError, type ErrorKind } from "../../kit/app-error.ts";
import type { Clock } from "../../kit/clock.ts";
import { startDeadline } from "../../kit/deadline.ts";
import type { GatewaySender } from "../../services/platform/messages/routes.ts";

/** Enough, because the gateway only queues the message before it answers. */
const answerMs = 10_000;
const answerBytesMax = 64 * 1024;

/** Sends messages for tenants through the gateway's own route. Throws 503 `gateway_unreachable` for faults that the tenant can't fix. */
export function createMessageSender(
  { baseUrl, headers, fetch }: ServiceAddress,
  clock: Clock,
): GatewaySender {
  const url = serviceUrl(baseUrl, "/api/v1/messages/send-on-behalf");
  return {
    async send({ tenantId, channel, recipient, text, conversationRef, invocationId, traceparent }, signal) {
      const patience = startDeadline(clock, answerMs, () => unreachable("it gave no answer in time"), [
        signal,
      ]);
      try {
        const request = new Request(url, {
          method: "POST",
          headers: {
            "content-type": "application/json",
            ...headers,
            ...(traceparent !== undefined && { traceparent }),
          },
          body: JSON.stringify({
            tenant_id: tenantId,
            channel,
            recipient,
            ...(text === undefined ? {} : { text }),
            ...(conversationRef === undefined ? {} : { conversation_ref: conversationRef }),
            ...(invocationId === undefined ? {} : { invocation_id: invocationId }),
          }),
          signal: patience.signal,
          redirect: "manual",
        });
        const response = await fetch(request);
        const answer = objectIn((await response.text()).slice(0, answerBytesMax));
        if (response.status === 202) return queued(answer);
        throw refusal(response, answer.error);
      } catch (thrown) {
        if (thrown instanceof AppError) throw thrown;
        throw unreachable("it can't be reached", thrown);
      } finally {
        patience.dispose();
      }
    },
  };
}

function queued({ message_id, status }: Record<string, unknown>): { message_id: string; status: string } {
  if (typeof message_id === "string" && typeof status === "string") return { message_id, status };
  throw unreachable("its answer was not understood");
}

const refusals: Readonly<Record<number, { kind: ErrorKind; code: string }>> = {
  400: { kind: "invalid", code: "invalid_request" },
  409: { kind: "conflict", code: "storage_limit_reached" },
  404: { kind: "not_found", code: "not_found" },
  422: { kind: "unprocessable", code: "message_refused" },
  429: { kind: "rate_limited", code: "rate_limited" },
};

/** Errors of the sender keep the gateway's message. Other errors, such as a wrong key, are not the sender's. */
function refusal({ status, headers }: Response, message: unknown): AppError {
  const known = refusals[status];
  if (known === undefined) return unreachable(`it answered ${status}`);
  const reason = typeof message === "string" && message !== "" ? message : "The gateway refused the message.";
  const after = headers.get("retry-after") ?? "";
  const details = /^\d{1,6}$/.test(after) ? { retryAfterSeconds: Number(after) } : {};
  return new AppError(known.kind, known.code, reason, { details });
}

function unreachable(reason: string, cause?: unknown): AppError {
  return new AppError(
    "unavailable",
    "gateway_unreachable",
    `The gateway took no message: ${reason}.`,
    cause === undefined ? {} : { cause },
  );
}

function objectIn(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}
