import { AppError, type Problem } from "../kit/app-error.ts";

/** Error of a failed call, as a page shows it. */
export interface Refusal {
  code: string;
  message: string;
  /** Advice on how to fix it. */
  hint?: string;
  problems?: Problem[];
  /** The provider's message, for the owner only. */
  upstreamMessage?: string;
  /** HTTP status of the answer; absent if there was none. */
  status?: number;
  retryAfterSeconds?: number;
  /** Other fields of the error body. */
  facts?: Record<string, unknown>;
}

/** The failure of a run as shown to its reader: its message and, for the owner, the provider's. */
export function runFailure(code: string, message: string, upstreamMessage: string | undefined): AppError {
  const details = upstreamMessage === undefined ? {} : { upstreamMessage };
  return new AppError("upstream_failed", code, message, { details });
}

/** Converts an error thrown by one of our clients; undefined if it is not a service's refusal. */
export function refusalOf(thrown: unknown): Refusal | undefined {
  if (!(thrown instanceof AppError)) return undefined;
  const { code, message, status, details } = thrown;
  return {
    code,
    message,
    status,
    ...(details.hint === undefined ? {} : { hint: details.hint }),
    ...(details.problems === undefined ? {} : { problems: details.problems }),
    ...(details.upstreamMessage === undefined ? {} : { upstreamMessage: details.upstreamMessage }),
    ...(details.retryAfterSeconds === undefined ? {} : { retryAfterSeconds: details.retryAfterSeconds }),
    ...(details.facts === undefined ? {} : { facts: details.facts }),
  };
}
