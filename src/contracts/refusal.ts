import { AppError, type Problem } from "../kit/app-error.ts";

/** Error of a failed call, as a page shows it. */
export interface Refusal {
  code: string;
  message: string;
  /** Advice on how to fix it. */
  hint?: string;
  problems?: Problem[];
  /** HTTP status of the answer; absent if there was none. */
  status?: number;
  retryAfterSeconds?: number;
  /** Other fields of the error body. */
  facts?: Record<string, unknown>;
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
    ...(details.retryAfterSeconds === undefined ? {} : { retryAfterSeconds: details.retryAfterSeconds }),
    ...(details.facts === undefined ? {} : { facts: details.facts }),
  };
}
