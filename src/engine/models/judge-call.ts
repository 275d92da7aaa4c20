import type { CallEnding } from "./breakers.ts";

/*
 * What a finished call says about its provider. Callers choose the query, the model's name, the parameters, the tools, the
 * shape of the answer, and how long they wait. None of that may close the provider to other callers, so each sign has one of four endings:
 *
 * succeeded  The provider answered.
 * failed     No request leads to this: nobody listens, the name or certificate is wrong, the operator's key is refused.
 * doubtful   An outage looks like this, but some requests lead to it as well: a 500 for a tool schema, a 404 for a
 *            model's name, a 504 for a long answer, a broken stream. It counts against the caller that saw it; against the provider once
 *            a second caller sees it too.
 * released   The caller's doing, or a provider that is well and refuses: no verdict.
 */

/** The distinction between failures that routing needs; see `ModelFailure`. */
export type ModelFailureClass =
  | "unreachable"
  | "unusable"
  | "auth"
  | "unsuited"
  | "context_length"
  | "content_refused"
  | "caller";

/**
 * Why a candidate gave no answer: its failure; `cancelled` when the caller left or stopped reading before the end;
 * `internal` for a fault of ours.
 */
export type CallFailure = ModelFailureClass | "cancelled" | "internal";

/** Who chose how long a call may be silent: the operator, in a file, or the sender of a manifest. */
export type LimitSetter = "operator" | "caller";

/** The evidence behind a failure, as seen on the wire. */
export type FailureSign =
  /** No connection: refused, unknown name, no trusted certificate. */
  | { sign: "no_connection" }
  /** The connection was closed before the answer's head, or within the answer. */
  | { sign: "dropped" }
  | { sign: "silence"; forMs: number; limitBy: LimitSetter }
  /** A status other than 2xx. */
  | { sign: "status"; status: number }
  /** The provider asks for fewer calls. */
  | { sign: "throttled" }
  /** A whole answer without text and without tool calls; `spoke` when tokens were generated nevertheless. */
  | { sign: "empty"; spoke: boolean }
  /** More than we read. */
  | { sign: "overlong" }
  /** The answer has a form that the protocol doesn't know, or is an error. */
  | { sign: "garbled" };

/** How a call ended, and what its caller had asked for. */
export interface CallEnd {
  /** Undefined for an answer that came to its end. */
  failure: CallFailure | undefined;
  /** Undefined where a model gives no evidence; then the class alone decides. */
  sign?: FailureSign | undefined;
  /** Whether texts that stop the answer were set, in the manifest or by the request. */
  hasStops: boolean;
  /** Whether this call bounds the answer's tokens, or forbids what the agent would use. */
  hasLimits: boolean;
}

/** Silence that no caller is known to cause: the time limit of a model where nobody sets one. */
const outageSilenceMs = 120_000;

/** The ending to report to the breaker. */
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
  // 429: too many calls, perhaps of one caller; 499: the call was given up; 413, 400 and 422: this request.
  if ([400, 413, 422, 429, 499].includes(status)) return "released";
  // A redirect or a refused key meets every request alike.
  if ((status >= 300 && status < 400) || status === 401 || status === 407) return "failed";
  return "doubtful";
}

/**
 * Whether the time to a call's first event may enter the average by which candidates are ranked. An answer that its caller cut
 * short looks fast when it comes in one piece, so only calls with the agent's own bounds teach.
 */
export function teachesLatency({ failure, hasStops, hasLimits }: CallEnd, isStreamed: boolean): boolean {
  return failure === undefined && (isStreamed || !(hasStops || hasLimits));
}
