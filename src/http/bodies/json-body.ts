import { type TSchema, Type } from "@sinclair/typebox";
import { AppError } from "../../kit/app-error.ts";
import { schemaChecker } from "../../kit/json/schema-checker.ts";
import { invalidPart } from "../errors/validation-problems.ts";

/**
 * Route options for a body that must fit `schema`, with error messages of our own. Elysia's own check runs later and finds nothing more.
 * Its error would contain everything that was sent, and it fails on values such as `{"toString": 1}`.
 */
export function jsonBody<Schema extends TSchema>(schema: Schema) {
  const checker = schemaChecker(schema);
  return {
    body: schema,
    transform({ body }: { body: unknown }) {
      if (checker.fits(body)) return;
      if (body !== undefined) throw invalidPart("The body", checker.faultsOf(body), schema);
      throw new AppError("invalid", "invalid_request", "This request needs a JSON body.");
    },
  };
}

/** Like `jsonBody`, for a request that may have no body. */
export function optionalJsonBody<Schema extends TSchema>(schema: Schema) {
  const { transform } = jsonBody(schema);
  return {
    body: Type.Optional(schema),
    transform({ body }: { body: unknown }) {
      if (body !== undefined) transform({ body });
    },
  };
}
