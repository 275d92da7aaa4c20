import { Type } from "@sinclair/typebox";

/** `headers` of a tool's input: at most 64. */
export const headersParameter = Type.Optional(
  Type.Record(Type.String(), Type.String({ maxLength: 8192 }), {
    description: 'Request headers by name, for example {"Accept": "application/json"}.',
    maxProperties: 64,
  }),
);

/** A URL of a tool's input. */
export const urlParameter = (description: string) =>
  Type.String({ description, minLength: 1, maxLength: 8192 });

/** `timeout_seconds` of a tool's options. */
export const timeoutOption = Type.Integer({
  minimum: 1,
  maximum: 3600,
  default: 30,
  description: "Longest call, in seconds; it wins over the entry's own `timeout_seconds`.",
});
