import { type Static, type TSchema, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { invalidPart } from "../../../http/invalid-part.ts";
import { AppError } from "../../../kit/app-error.ts";

/** The `params` of a request, which may be left out; AppError `invalid_params` when they don't fit. */
export function readParams<Schema extends TSchema>(schema: Schema, params: unknown = {}): Static<Schema> {
  if (Value.Check(schema, params)) return params;
  const { message, details } = invalidPart("params", Value.Errors(schema, params), schema);
  throw new AppError("invalid", "invalid_params", message, { details });
}

/** Of every method that lists. */
export const ListParams = Type.Object({ cursor: Type.Optional(Type.String({ maxLength: 1024 })) });
