import type { TSchema } from "@sinclair/typebox";
import { ErrorBody } from "../contracts/error-body.ts";
import type { AppError } from "../kit/app-error.ts";
import type { Logger } from "../kit/log.ts";

/** The form of a service's error bodies. */
export interface ErrorForm {
  /** For the OpenAPI document. */
  schema: TSchema;
  /** The body for one error; `path` for services that answer some of their routes in another vendor's form. */
  render(error: AppError, path: string): object;
}

/** `{error: code, message}` with `hint` and `problems` when there are any: daemon, platform, translator. */
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

/** The headers that belong to an error: when to come back, what is allowed, how to sign in. */
export function errorHeaders(error: AppError): Record<string, string> {
  const { retryAfterSeconds, allow } = error.details;
  return {
    ...(retryAfterSeconds !== undefined && { "retry-after": String(Math.ceil(retryAfterSeconds)) }),
    ...(allow !== undefined && { allow: allow.join(", ") }),
    ...(error.kind === "unauthorized" && { "www-authenticate": "Bearer" }),
  };
}

/**
 * Our own faults are errors with their cause; everything else is a refusal that only debugging asks for. So is what fails
 * because the client left: nobody is there to be answered.
 */
export function logRefusal(log: Logger, error: AppError, signal?: AbortSignal): void {
  const { code, status, kind, cause } = error;
  if (kind !== "internal") log.debug("request.refused", { code, status });
  else if (signal?.aborted) log.debug("request.abandoned", { err: cause ?? error });
  else log.error("request.failed", { code, err: cause ?? error });
}
