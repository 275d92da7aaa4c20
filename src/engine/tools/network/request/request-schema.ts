import { Type } from "@sinclair/typebox";

/** Schema of `headers` in a tool's input: at most 64. */
export const headersParameter = Type.Optional(
  Type.Record(Type.String(), Type.String({ maxLength: 8192 }), {
    description: 'Request headers by name, for example {"Accept": "application/json"}.',
    maxProperties: 64,
  }),
);

/** Schema of a URL in a tool's input. */
export const urlParameter = (description: string) =>
  Type.String({ description, minLength: 1, maxLength: 8192 });

/** Schema of `url` in a tool's input if its entry names a connection. */
export const pathParameter = Type.String({
  description: "The path below the service's address, with its query, for example /orders?limit=5.",
  minLength: 1,
  maxLength: 4096,
});

/** Schema of `connection` in a tool's options. */
export const connectionOption = Type.Optional(
  Type.String({
    pattern: "^[a-z0-9]([a-z0-9_-]{0,61}[a-z0-9])?$",
    description:
      "The connection of connections.yaml that gives the address and the credential; calls then give a path below that address.",
  }),
);

/** Problems of an entry that names a connection; empty if connections are available. */
export const connectionProblems = (
  { connection }: { connection?: string },
  { connections }: { connections?: unknown },
) =>
  connection === undefined || connections !== undefined
    ? []
    : [{ key: "connection", message: "can't be honoured: there are no connections here" }];

/** Schema of `timeout_seconds` in a tool's options. */
export const timeoutOption = Type.Integer({
  minimum: 1,
  maximum: 3600,
  default: 30,
  description: "Longest call, in seconds; it wins over the entry's own `timeout_seconds`.",
});
