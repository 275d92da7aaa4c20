import type { Logger } from "../../kit/log.ts";
import { idOf } from "../inbound/delivered-text.ts";
import { fieldOf, textOf } from "../json-fields.ts";
import { classOfStatus, type ErrorClass, type StatusClass } from "./error-class.ts";
import type { SendAnswer } from "./provider-call.ts";
import { type CallResult, parsedAnswer, resultOfClass, resultOfFault, safeMessage } from "./send-result.ts";

/** Rules by which an answer of Meta's Graph API is read. */
export interface GraphRules {
  channel: string;
  /** Access token, which no text may contain. */
  secret: string;
  /** Returns undefined for an unknown pair. */
  errorClass(code: number, subcode: number | undefined, details: string | undefined): ErrorClass | undefined;
  /** Class of an unknown code with a 4xx status. */
  unknownClass: ErrorClass;
  /** Id of the new message; `true` if the call creates none and succeeded. */
  accepted(document: unknown): string | true | undefined;
  /** The provider's own name for the recipient's address. */
  namedAs?(document: unknown): string | undefined;
  log: Logger;
}

/** Reads an answer of the Graph API. The code decides, then `is_transient`, then the HTTP status. */
export function graphResult(answer: SendAnswer, rules: GraphRules): CallResult {
  if ("fault" in answer) return resultOfFault(answer.fault);
  const { status, retryAfterMs, body } = answer;
  const document = parsedAnswer(body);
  const error = fieldOf(document, "error");
  const code = codeOf(error, "code");
  const subcode = codeOf(error, "error_subcode");
  const details = textOf(fieldOf(error, "error_data"), "details");
  const failure = {
    code: code === undefined ? `http_${status}` : subcode === undefined ? `${code}` : `${code}/${subcode}`,
    message:
      safeMessage(details ?? textOf(error, "message"), rules.secret) || `The provider answered ${status}.`,
  };
  const known = code === undefined ? undefined : rules.errorClass(code, subcode, details);
  if (known !== undefined) return resultOfClass(known, failure, retryAfterMs);
  if (code !== undefined)
    rules.log.warn("channel.unknown_error", { channel: rules.channel, code, subcode, status });
  if (fieldOf(error, "is_transient") === true) return resultOfClass("soon", failure, retryAfterMs);
  if (status >= 200 && status <= 299) {
    const id = error === undefined ? rules.accepted(document) : undefined;
    if (id !== undefined) {
      const namedAs = rules.namedAs?.(document);
      return {
        outcome: "accepted",
        providerId: id === true ? undefined : id,
        ...(namedAs !== undefined && { namedAs }),
      };
    }
    return resultOfClass(error === undefined ? "unknown" : "final", failure);
  }
  return resultOfClass(classOfAnswer(status, code, rules), failure, retryAfterMs);
}

/** A body with an unknown code says more than its status, unless the status itself decides. */
function classOfAnswer(status: number, code: number | undefined, rules: GraphRules): StatusClass {
  const byStatus = classOfStatus(status);
  if (byStatus === "final" && status >= 400) return rules.unknownClass;
  return byStatus === "account" && code !== undefined && status !== 401 ? rules.unknownClass : byStatus;
}

/** Accepts a number or a string of digits. */
function codeOf(error: unknown, name: string): number | undefined {
  const id = idOf(error, name);
  return id !== undefined && /^-?\d{1,9}$/.test(id) ? Number(id) : undefined;
}
