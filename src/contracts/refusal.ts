import { AppError, type Problem } from "../kit/app-error.ts";

/** Why a call failed, as a page shows it. */
export interface Refusal {
  code: string;
  message: string;
  /** What can be done about it. */
  hint?: string;
  problems?: Problem[];
  /** Of the answer; absent when there was none. */
  status?: number;
  retryAfterSeconds?: number;
  /** What the error body says beside this. */
  facts?: Record<string, unknown>;
}

/** What a client of ours threw, told plainly; undefined for what isn't a refusal of a service. */
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
