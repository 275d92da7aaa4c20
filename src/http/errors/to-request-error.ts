import type { TSchema } from "@sinclair/typebox";
import type { ValueError } from "@sinclair/typebox/errors";
import { NotFoundError, ParseError, ValidationError } from "elysia";
import { AppError, toAppError } from "../../kit/app-error.ts";
import { descriptorShortage } from "../../kit/process/descriptor-shortage.ts";
import { invalidPart } from "./validation-problems.ts";

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
