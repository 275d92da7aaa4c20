import type { TSchema } from "@sinclair/typebox";
import { ErrorBody } from "../../contracts/error-body.ts";
import type { AppError } from "../../kit/app-error.ts";
import type { Logger } from "../../kit/log.ts";

/** The format of a service's error bodies. */
export interface ErrorForm {
  /** The schema for the OpenAPI document. */
  schema: TSchema;
  /** Renders the body for one error. `path` is for services that answer some routes in another vendor's format. */
  render(error: AppError, path: string): object;
}

/** `{error: code, message}` with `hint` and `problems` if there are any. Used by daemon, platform and translator. */
export const codeAndMessage: ErrorForm = {
  schema: ErrorBody,
  render({ code, message, details: { hint, problems, facts } }) {
    return {
      ...facts,
      error: code,
      message,
      ...(hint !== undefined && { hint }),
      ...(problems !== undefined && problems.length > 0 && { problems }),
    };
  },
};

/** Returns the headers of an error: when to retry, which methods are allowed, how to sign in. */
export function errorHeaders(error: AppError): Record<string, string> {
  const { retryAfterSeconds, allow } = error.details;
  return {
    ...(retryAfterSeconds !== undefined && { "retry-after": String(Math.ceil(retryAfterSeconds)) }),
    ...(allow !== undefined && { allow: allow.join(", ") }),
    ...(error.kind === "unauthorized" && { "www-authenticate": "Bearer" }),
  };
}

/**
 * Logs a refusal. Our own faults are errors with their cause. Everything else is a refusal at debug level, and so is a failure because the
 * client left.
 */
export function logRefusal(log: Logger, error: AppError, signal?: AbortSignal): void {
  const { code, status, kind, cause } = error;
  if (kind !== "internal") log.debug("request.refused", { code, status });
  else if (signal?.aborted) log.debug("request.abandoned", { err: cause ?? error });
  else log.error("request.failed", { code, err: cause ?? error });
}
