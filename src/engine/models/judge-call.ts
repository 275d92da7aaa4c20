import type { CallEnding } from "./breakers.ts";

/*
 * Judges a provider by its finished calls. Callers choose the query, the model's name, the parameters, the tools, the schema of
 * the answer, and the time limit. None of that may close the provider to other callers, so each sign has one of four endings:
 *
 * succeeded  The provider answered.
 * failed     No request can cause this: the connection or the operator's key is refused, or the name or certificate is wrong.
 * doubtful   An outage looks like this, but some requests can also cause it: a 500 for a tool schema, a 404 for a
 *            model's name, a 504 for a long answer, a broken stream. It counts against the caller that saw it, and against the
 *            provider once a second caller sees it too.
 * released   The caller caused it, or a healthy provider refused: no verdict.
 */

/** Classes of failures that routing distinguishes; see `ModelFailure`. */
export type ModelFailureClass =
  | "unreachable"
  | "unusable"
  | "auth"
  | "unsuited"
  | "context_length"
  | "content_refused"
  | "caller";

/**
 * Why a candidate gave no answer: its failure class; `cancelled` if the caller left or stopped reading before the end; `internal` for a
 * fault of ours.
 */
export type CallFailure = ModelFailureClass | "cancelled" | "internal";

/** Origin of a limit on silence: the operator in a file, or the author of a manifest. */
export type LimitSetter = "operator" | "caller";

/** Evidence of a failure, as observed on the connection. */
export type FailureSign =
  /** No connection: refused, unknown name, no trusted certificate. */
  | { sign: "no_connection" }
  /** The connection was closed before the headers of the answer or within the answer. */
  | { sign: "dropped" }
  | { sign: "silence"; forMs: number; limitBy: LimitSetter }
  /** A status other than 2xx. */
  | { sign: "status"; status: number }
  /** The provider asks for fewer requests. */
  | { sign: "throttled" }
  /** A complete answer without text and tool calls; `spoke` if tokens were generated nevertheless. */
  | { sign: "empty"; spoke: boolean }
  /** The answer exceeds our size limit. */
  | { sign: "overlong" }
  /** The answer does not follow the protocol, or is an error. */
  | { sign: "garbled" };

/** The ending of a call and the limits that its caller had set. */
export interface CallEnd {
  /** Undefined for a complete answer. */
  failure: CallFailure | undefined;
  /** Undefined if a model gives no evidence; then the class alone decides. */
  sign?: FailureSign | undefined;
  /** True if stop texts were set, in the manifest or by the request. */
  hasStops: boolean;
  /** True if this call limits the answer's tokens. */
  hasLimits: boolean;
}

/** Silence that counts as an outage, because no caller is known to cause it: the default time limit of a model. */
const outageSilenceMs = 120_000;

/** Returns the ending to report to the breaker. */
export function judgeCall({ failure, sign, hasStops, hasLimits }: CallEnd): CallEnding {
  switch (failure) {
    case undefined:
      return "succeeded";
    case "cancelled":
    case "internal":
    case "unsuited":
    case "context_length":
    case "content_refused":
    case "caller":
      return "released";
    case "auth":
    case "unreachable":
    case "unusable":
      break;
  }
  switch (sign?.sign) {
    case undefined:
    case "no_connection":
      return "failed";
    case "status":
      return judgeStatus(sign.status);
    case "silence":
      return sign.limitBy === "caller" && sign.forMs < outageSilenceMs ? "released" : "doubtful";
    case "empty":
      return sign.spoke || hasStops || hasLimits ? "released" : "doubtful";
    case "throttled":
    case "overlong":
      return "released";
    case "dropped":
    case "garbled":
      return "doubtful";
  }
}

function judgeStatus(status: number): CallEnding {
  // 429: too many calls, perhaps of one caller; 499: the call was cancelled; 413, 400 and 422: the request itself.
  if ([400, 413, 422, 429, 499].includes(status)) return "released";
  // A redirect or a refused key affects every request.
  if ((status >= 300 && status < 400) || status === 401 || status === 407) return "failed";
  return "doubtful";
}

/**
 * Returns true if the time to a call's first event counts in the average that ranks candidates. An answer that is cut short by its caller
 * and not streamed looks fast, so only calls with the agent's own limits count.
 */
export function teachesLatency({ failure, hasStops, hasLimits }: CallEnd, isStreamed: boolean): boolean {
  return failure === undefined && (isStreamed || !(hasStops || hasLimits));
}
