/** The closed set of error kinds and the HTTP status of each. */
export const statusOfKind = {
  invalid: 400,
  unauthorized: 401,
  payment_required: 402,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  timed_out: 408,
  conflict: 409,
  precondition_failed: 412,
  too_large: 413,
  unsupported: 415,
  misdirected: 421,
  unprocessable: 422,
  rate_limited: 429,
  internal: 500,
  not_implemented: 501,
  upstream_failed: 502,
  unavailable: 503,
  upstream_timed_out: 504,
} as const;

export type ErrorKind = keyof typeof statusOfKind;

/** One fault in a caller's input; `path` is dotted (`spec.tools[0].name`), lines and columns start at 1. */
export interface Problem {
  /** The file, in an error about several. */
  file?: string;
  path: string;
  message: string;
  line?: number;
  column?: number;
}

export interface ErrorDetails {
  /** Advice for the caller, as a sentence. */
  hint?: string;
  problems?: Problem[];
  retryAfterSeconds?: number;
  /** For `method_not_allowed`: the methods that the path supports. */
  allow?: string[];
  /** What another service said, for the owner only: surfaces of tenants and strangers leave it out. At most 500 characters, masked. */
  upstreamMessage?: string;
  /** Facts a surface may render, for example the guardrail's type and stage. */
  facts?: Record<string, unknown>;
}

/**
 * The only error that reaches a caller. `message` is safe to show; `cause` is logged and never rendered. Any other thrown value becomes
 * `internal` at the edge.
 */
export class AppError extends Error {
  override readonly name = "AppError";
  readonly kind: ErrorKind;
  readonly code: string;
  readonly details: ErrorDetails;

  constructor(
    kind: ErrorKind,
    code: string,
    message: string,
    options?: { details?: ErrorDetails; cause?: unknown },
  ) {
    super(message, options?.cause === undefined ? undefined : { cause: options.cause });
    this.kind = kind;
    this.code = code;
    this.details = options?.details ?? {};
  }

  get status(): number {
    return statusOfKind[this.kind];
  }
}

/** A copy of the error that tells more. The cause of a subclass's copy is the error itself, so that its fields stay known. */
export function withFacts(error: AppError, facts: Record<string, unknown>): AppError {
  const { kind, code, message, details } = error;
  return new AppError(kind, code, message, {
    details: { ...details, facts: { ...details.facts, ...facts } },
    cause: error.constructor === AppError ? error.cause : error,
  });
}

/** The AppError that `thrown` is, or an `internal` one that keeps it as its cause. */
export function toAppError(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown;
  return new AppError("internal", "internal", "Something went wrong on our side.", { cause: thrown });
}
