import type { RetryPlan, SendOutcome } from "../sending/message-api.ts";
import { fieldOf, itemsOf, textOf } from "./json-fields.ts";

/** The provider's answer, or the error that prevented one. */
export type SendAnswer =
  | { status: number; retryAfterMs: number | undefined; body: string | undefined }
  | { fault: unknown };

const soon: RetryPlan = {
  retriesMax: 6,
  delaysMs: [2_000, 5_000, 15_000, 45_000, 120_000],
  isAccountWide: false,
  alerts: false,
};
const thrice: RetryPlan = { ...soon, retriesMax: 3 };
const seconds: RetryPlan = { ...soon, delaysMs: [5_000, 10_000, 20_000, 40_000], isAccountWide: true };
const minutes: RetryPlan = { ...soon, retriesMax: 4, delaysMs: [60_000, 120_000], isAccountWide: true };
/** The provider accepts about one message in six seconds for each recipient. */
const pair: RetryPlan = { ...soon, delaysMs: [6_000, 12_000, 24_000, 48_000] };
const mended: RetryPlan = { ...soon, alerts: true };

type Rule = RetryPlan | "late" | "final" | "account" | "media";

/** Rules by the provider's error code. Neither its title nor the HTTP status says what to do. */
const rules: ReadonlyMap<number, Rule> = new Map<number, Rule>([
  ...each([1, 131000], thrice),
  ...each([2, 131016], soon),
  ...each([4, 80007, 131057], minutes),
  ...each([130429], seconds),
  ...each([131056], pair),
  ...each([131048, 132069], "late"),
  ...each([131053], "media"),
  ...each(
    [
      100, 130472, 130497, 131008, 131009, 131021, 131026, 131030, 131047, 131049, 131050, 131051, 131052,
      131062, 131063, 131064, 132068, 133016, 135000, 137000,
    ],
    "final",
  ),
  ...each([0, 3, 10, 33, 190, 368, 131005, 131031, 131037, 131042, 131045], "account"),
]);

function each(codes: readonly number[], rule: Rule): [number, Rule][] {
  return codes.map((code) => [code, rule]);
}

function ruleOf(code: number): Rule | undefined {
  if (code >= 200 && code <= 299) return "account";
  if (code >= 132000 && code <= 132016) return "final";
  return rules.get(code);
}

/** Decides what to do after an attempt to send. */
export function outcomeOf(answer: SendAnswer): SendOutcome {
  if ("fault" in answer) return outcomeOfFault(answer.fault);
  const { status, retryAfterMs, body } = answer;
  const document = body === undefined ? undefined : parsed(body);
  const error = fieldOf(document, "error");
  const code = codeOf(error);
  if (code !== undefined) {
    const known = outcomeOfCode(code, textOf(fieldOf(error, "error_data"), "details"), retryAfterMs);
    if (known !== undefined) return known;
  }
  const label = code === undefined ? `http_${status}` : String(code);
  if (fieldOf(error, "is_transient") === true) return { action: "retry", code: label, retryAfterMs, ...soon };
  if (status >= 200 && status <= 299) {
    if (textOf(itemsOf(document, "messages")[0], "id") !== undefined) return { action: "sent" };
    return { action: error === undefined ? "ambiguous" : "final", code: label };
  }
  return outcomeOfStatus(status, label, retryAfterMs);
}

/** Like `outcomeOf`, for the error of a message that the provider accepted at first. Returns undefined for an unknown code. */
export function outcomeOfCode(
  code: number,
  details?: string,
  retryAfterMs?: number,
): SendOutcome | undefined {
  const rule = ruleOf(code);
  const label = String(code);
  if (rule === undefined) return undefined;
  if (rule === "media") {
    // The error is about the link that we sent. A retry helps only if the linked server was busy.
    const isPassing = details !== undefined && /(?<!\d)(?:429|5\d\d)(?!\d)/.test(details);
    return isPassing
      ? { action: "retry", code: label, retryAfterMs, ...soon, retriesMax: 2 }
      : { action: "final", code: label };
  }
  if (typeof rule === "string") return { action: rule, code: label };
  return { action: "retry", code: label, retryAfterMs, ...rule };
}

/** Decides by the HTTP status when the error code is unknown. */
function outcomeOfStatus(status: number, code: string, retryAfterMs: number | undefined): SendOutcome {
  // A proxy timed out, and the server behind it may have accepted the message.
  if (status === 408 || status === 504) return { action: "ambiguous", code };
  if (status === 429) return { action: "retry", code, retryAfterMs, ...soon, isAccountWide: true };
  if (status >= 500) return { action: "retry", code, retryAfterMs, ...soon };
  if (status === 401 || status === 403 || status === 404) return { action: "account", code };
  return { action: "final", code };
}

/** Accepts a number or a string of digits. */
function codeOf(error: unknown): number | undefined {
  const code = fieldOf(error, "code");
  if (typeof code === "number") return code;
  return typeof code === "string" && /^\d{1,9}$/.test(code) ? Number(code) : undefined;
}

/** Errors that occur before any byte of the request is sent. */
const unconnected: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EAI_NODATA",
  "EHOSTUNREACH",
  "ENETUNREACH",
]);
const untrusted = /CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO|^EPROTO$/;

function outcomeOfFault(fault: unknown): SendOutcome {
  const code = fault instanceof Error ? String(Reflect.get(fault, "code") ?? "") : "";
  const retryAfterMs = undefined;
  if (unconnected.has(code)) return { action: "retry", code: "no_connection", retryAfterMs, ...soon };
  if (untrusted.test(code))
    return { action: "retry", code: "no_trusted_connection", retryAfterMs, ...mended };
  return { action: "ambiguous", code: code === "send_timed_out" ? code : "broken_off" };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
