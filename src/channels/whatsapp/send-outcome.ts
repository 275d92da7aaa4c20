import { fieldOf, itemsOf, textOf } from "../json-fields.ts";
import { classOfStatus, type ErrorClass, type StatusClass } from "../sending/error-class.ts";
import type { RetryPlan, SendOutcome } from "../sending/message-api.ts";
import { faultOf, type SendAnswer } from "../sending/provider-call.ts";
import { parsedAnswer } from "../sending/send-result.ts";
import { whatsAppErrorClass } from "./error-classes.ts";

const soon: RetryPlan = {
  retriesMax: 6,
  delaysMs: [2_000, 5_000, 15_000, 45_000, 120_000],
  isAccountWide: false,
  alerts: false,
};
const thrice: RetryPlan = { ...soon, retriesMax: 3 };
const twice: RetryPlan = { ...soon, retriesMax: 2 };
const once: RetryPlan = { ...soon, retriesMax: 1 };
const seconds: RetryPlan = { ...soon, delaysMs: [5_000, 10_000, 20_000, 40_000], isAccountWide: true };
const minutes: RetryPlan = { ...soon, retriesMax: 4, delaysMs: [60_000, 120_000], isAccountWide: true };
/** The provider accepts about one message in six seconds for each recipient. */
const pair: RetryPlan = { ...soon, delaysMs: [6_000, 12_000, 24_000, 48_000] };
const throttled: RetryPlan = { ...soon, isAccountWide: true };
const mended: RetryPlan = { ...soon, alerts: true };

/** Without a durable outbox, a message that would wait for hours is dropped. */
const actions: Record<ErrorClass | StatusClass, RetryPlan | "late" | "final" | "account" | "ambiguous"> = {
  soon,
  thrice,
  twice,
  once,
  seconds,
  minutes,
  pair,
  throttled,
  hours: "late",
  hours_alert: "late",
  final: "final",
  window: "final",
  account: "account",
  unknown: "ambiguous",
};

/** Decides what to do after an attempt to send. */
export function outcomeOf(answer: SendAnswer): SendOutcome {
  if ("fault" in answer) return outcomeOfFault(answer.fault);
  const { status, retryAfterMs, body } = answer;
  const document = parsedAnswer(body);
  const error = fieldOf(document, "error");
  const code = codeOf(error);
  if (code !== undefined) {
    const known = outcomeOfCode(code, textOf(fieldOf(error, "error_data"), "details"), retryAfterMs);
    if (known !== undefined) return known;
  }
  const label = code === undefined ? `http_${status}` : String(code);
  if (fieldOf(error, "is_transient") === true) return outcomeOfClass("soon", label, retryAfterMs);
  if (status >= 200 && status <= 299) {
    const providerId = textOf(itemsOf(document, "messages")[0], "id");
    if (providerId !== undefined) return { action: "sent", providerId };
    return { action: error === undefined ? "ambiguous" : "final", code: label };
  }
  return outcomeOfClass(classOfStatus(status), label, retryAfterMs);
}

/** Like `outcomeOf`, for the error of a message that the provider accepted at first. Returns undefined for an unknown code. */
export function outcomeOfCode(
  code: number,
  details?: string,
  retryAfterMs?: number,
): SendOutcome | undefined {
  const errorClass = whatsAppErrorClass(code, details);
  return errorClass && outcomeOfClass(errorClass, String(code), retryAfterMs);
}

function outcomeOfClass(
  errorClass: ErrorClass | StatusClass,
  code: string,
  retryAfterMs: number | undefined,
): SendOutcome {
  const action = actions[errorClass];
  return typeof action === "string" ? { action, code } : { action: "retry", code, retryAfterMs, ...action };
}

/** Accepts a number or a string of digits. */
export function codeOf(error: unknown): number | undefined {
  const code = fieldOf(error, "code");
  if (typeof code === "number") return code;
  return typeof code === "string" && /^\d{1,9}$/.test(code) ? Number(code) : undefined;
}

function outcomeOfFault(fault: unknown): SendOutcome {
  const code = faultOf(fault);
  const retryAfterMs = undefined;
  if (code === "no_connection") return { action: "retry", code, retryAfterMs, ...soon };
  if (code === "no_trusted_connection") return { action: "retry", code, retryAfterMs, ...mended };
  return { action: "ambiguous", code };
}
