import { type Static, type TSchema, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { invalidPart } from "../../../http/errors/validation-problems.ts";
import { AppError } from "../../../kit/app-error.ts";

/** Checks the `params` of a request, which may be absent. Throws AppError `invalid_params`. */
export function readParams<Schema extends TSchema>(schema: Schema, params: unknown = {}): Static<Schema> {
  if (Value.Check(schema, params)) return params;
  const { message, details } = invalidPart("params", Value.Errors(schema, params), schema);
  throw new AppError("invalid", "invalid_params", message, { details });
}

/** Parameters of every method that lists. */
export const ListParams = Type.Object({ cursor: Type.Optional(Type.String({ maxLength: 1024 })) });
