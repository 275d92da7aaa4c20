import type { TSchema } from "@sinclair/typebox";
import type { ValueError } from "@sinclair/typebox/errors";
import { NotFoundError, ParseError, ValidationError } from "elysia";
import { ErrorBody } from "../../contracts/error-body.ts";
import { AppError, toAppError } from "../../kit/app-error.ts";
import type { Logger } from "../../kit/log.ts";
import { descriptorShortage } from "../../kit/process/descriptor-shortage.ts";
import { invalidPart } from "./validation-problems.ts";

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

/** Every 429, and a 503 because of too much work, says when to try again, also one that another service has passed on without a time. */
const asksToWait = ({ kind, code }: AppError) => kind === "rate_limited" || code === "too_busy";

/** Returns the headers of an error: when to retry, which methods are allowed, how to sign in. */
export function errorHeaders(error: AppError): Record<string, string> {
  const { retryAfterSeconds = asksToWait(error) ? 1 : undefined, allow } = error.details;
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

/** Names of the parts of a request in messages about the route's schema; `jsonBody` handles bodies. */
const parts: Record<string, string> = {
  query: "The query",
  params: "The path",
  headers: "A header",
};

/** Converts anything that Elysia or a handler threw to an AppError; unexpected errors become `internal`. */
export function toRequestError(thrown: unknown, allow: () => string[]): AppError {
  if (thrown instanceof NotFoundError) return noRoute(allow());
  if (thrown instanceof ValidationError) return invalidRequest(thrown);
  if (thrown instanceof ParseError) {
    // Elysia wraps every error of a body reader.
    if (thrown.cause instanceof AppError) return thrown.cause;
    return new AppError("invalid", "invalid_request", "The body could not be read.", { cause: thrown });
  }
  return descriptorShortage(thrown) ?? toAppError(thrown);
}

function noRoute(allow: string[]): AppError {
  if (allow.length > 0) {
    return new AppError(
      "method_not_allowed",
      "method_not_allowed",
      `This path answers ${allow.join(", ")}.`,
      {
        details: { allow },
      },
    );
  }
  return new AppError("not_found", "not_found", "There is nothing at this path.", {
    details: { hint: "All paths are listed at /docs." },
  });
}

function invalidRequest(error: ValidationError): AppError {
  // Elysia reports a response that does not fit the route's schema in the same way; that is our fault, not the caller's.
  if (error.type === "response") return toAppError(error);
  const validator = error.validator as TypeBoxValidator;
  return invalidPart(parts[error.type] ?? "A value", validator.Errors(error.value), validator.schema);
}

/** The type of `ValidationError.validator` for a TypeBox schema; Elysia types it as `any`. */
interface TypeBoxValidator {
  schema: TSchema;
  Errors(value: unknown): Iterable<ValueError>;
}
