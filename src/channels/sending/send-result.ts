import { parseJson } from "../../kit/json/parse-json.ts";
import { redactText } from "../../kit/secrets/redact-text.ts";
import { cutText } from "../../kit/text/cut-text.ts";
import type { Address } from "../inbound/inbound-event.ts";
import type { ErrorClass, StatusClass } from "./error-class.ts";
import { faultOf } from "./provider-call.ts";

/** The provider's error: its code, or one of our own words, and its text without secrets. */
export interface SendError {
  code: string;
  message: string;
}

/** Result of one call to a provider. */
export type CallResult =
  /** `providerId` is undefined for calls that create no message. */
  | { outcome: "accepted"; providerId: string | undefined; movedTo?: Address; namedAs?: string }
  | ({
      outcome: "retry";
      /** Time that the provider asks for, or that its limit needs. Undefined: the usual delays. Such a wait is not a failed attempt. */
      afterMs: number | undefined;
      /** `account`: all messages of the account must wait. */
      scope: "recipient" | "account";
      /** Maximum number of retries, if the usual number is too many. */
      retriesMax: number | undefined;
      /** True if the operator must be alerted. */
      alerts: boolean;
    } & SendError)
  | ({ outcome: "final"; isWindowClosed: boolean } & SendError)
  /** The account must pause, and its operator must be alerted. The message stays. */
  | ({ outcome: "pause"; alert: string } & SendError)
  /** The provider may have accepted the message: settle it before another attempt. */
  | ({ outcome: "unknown" } & SendError);

const secondMs = 1000;
const minuteMs = 60 * secondMs;

/** Waits and limits of each class that is tried again. */
const retries = {
  soon: { scope: "recipient" },
  thrice: { scope: "recipient", retriesMax: 3 },
  twice: { scope: "recipient", retriesMax: 2 },
  once: { scope: "recipient", retriesMax: 1 },
  throttled: { scope: "account" },
  seconds: { scope: "account", afterMs: 6 * secondMs },
  minutes: { scope: "account", afterMs: 2 * minuteMs },
  pair: { scope: "recipient", afterMs: 6 * secondMs },
  hours: { scope: "recipient", afterMs: 60 * minuteMs },
  hours_alert: { scope: "account", afterMs: 60 * minuteMs, alerts: true },
} as const satisfies Partial<
  Record<
    StatusClass,
    { scope: "recipient" | "account"; afterMs?: number; retriesMax?: number; alerts?: boolean }
  >
>;

/** Makes the result of an error from its class. `retryAfterMs` is the wait that the provider asks for. */
export function resultOfClass(
  errorClass: ErrorClass | StatusClass,
  error: SendError,
  retryAfterMs?: number,
): CallResult {
  switch (errorClass) {
    case "final":
    case "window":
      return { outcome: "final", isWindowClosed: errorClass === "window", ...error };
    case "account":
      return {
        outcome: "pause",
        alert: `The provider refuses the account (${error.code}). Fix the cause, then resume the account.`,
        ...error,
      };
    case "unknown":
      return { outcome: "unknown", ...error };
    default: {
      const plan: {
        scope: "recipient" | "account";
        afterMs?: number;
        retriesMax?: number;
        alerts?: boolean;
      } = retries[errorClass];
      const { scope, afterMs, retriesMax, alerts = false } = plan;
      return { outcome: "retry", afterMs: retryAfterMs ?? afterMs, scope, retriesMax, alerts, ...error };
    }
  }
}

/** Result of a template on a channel that has none. */
export const noTemplates: CallResult = resultOfClass("final", {
  code: "no_templates",
  message: "This channel has no templates. Send text instead.",
});

/** Result of a file that was dropped before it was sent. */
export const fileGone: CallResult = resultOfClass("final", {
  code: "file_gone",
  message: "The file is no longer kept. Upload it again.",
});

/** Returns the result of an upload that was not accepted: it made no message, so it may be repeated. */
export const uploadResult = (result: Exclude<CallResult, { outcome: "accepted" }>): CallResult =>
  result.outcome === "unknown"
    ? resultOfClass("soon", { code: result.code, message: result.message })
    : result;

const faultTexts = {
  no_connection: "The provider could not be reached.",
  no_trusted_connection: "The provider's certificate is not trusted.",
  send_timed_out: "The provider did not answer in time.",
  broken_off: "The connection broke before the provider's answer.",
} as const;

/** Makes the result of a call without an answer. */
export function resultOfFault(fault: unknown): CallResult {
  const code = faultOf(fault);
  const error = { code, message: faultTexts[code] };
  if (code === "no_connection") return resultOfClass("soon", error);
  if (code === "no_trusted_connection") {
    return {
      outcome: "retry",
      afterMs: undefined,
      scope: "account",
      retriesMax: undefined,
      alerts: true,
      ...error,
    };
  }
  return resultOfClass("unknown", error);
}

const messageCharsMax = 300;

/** Returns the provider's text for records and logs: short, and without `secret` in any of its spellings. */
export function safeMessage(text: string | undefined, secret: string): string {
  let safe = (text ?? "").toWellFormed().replace(/\p{Cc}/gu, " ");
  const base64 = Buffer.from(secret).toString("base64").replace(/=+$/, "");
  for (const spelling of [secret, encodeURIComponent(secret), base64]) {
    if (spelling !== "") safe = safe.replaceAll(spelling, "[redacted]");
  }
  return redactText(cutText(safe.trim(), messageCharsMax));
}

/** Parses the body of an answer; undefined if it is not JSON. */
export function parsedAnswer(body: string | undefined): unknown {
  return body === undefined ? undefined : parseJson(body);
}
