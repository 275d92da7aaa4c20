import type { TSchema } from "@sinclair/typebox";
import { type TypeCheck, TypeCompiler } from "@sinclair/typebox/compiler";
import { AppError } from "../kit/app-error.ts";
import { invalidPart } from "./invalid-part.ts";

/**
 * For the options of a route: its body must fit `schema`, or it is refused in our own words. Elysia's own check comes after
 * and finds nothing more: it would write all that was sent into its error, and fail on what has no text, as `{"toString": 1}`.
 */
export function jsonBody<Schema extends TSchema>(schema: Schema) {
  // Compiled by the first request: a start has better things to do.
  let checker: TypeCheck<Schema> | undefined;
  return {
    body: schema,
    transform({ body }: { body: unknown }) {
      checker ??= TypeCompiler.Compile(schema);
      if (checker.Check(body)) return;
      if (body !== undefined) throw invalidPart("The body", checker.Errors(body), schema);
      throw new AppError("invalid", "invalid_request", "This request needs a JSON body.");
    },
  };
}
