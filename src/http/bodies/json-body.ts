import type { TSchema } from "@sinclair/typebox";
import { type TypeCheck, TypeCompiler } from "@sinclair/typebox/compiler";
import { AppError } from "../../kit/app-error.ts";
import { invalidPart } from "../errors/validation-problems.ts";

/**
 * Route options for a body that must fit `schema`, with error messages of our own. Elysia's own check runs later and finds nothing more.
 * Its error would contain everything that was sent, and it fails on values such as `{"toString": 1}`.
 */
export function jsonBody<Schema extends TSchema>(schema: Schema) {
  // Compiled by the first request, to keep the start fast.
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
