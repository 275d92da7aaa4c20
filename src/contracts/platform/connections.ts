import { type Static, Type } from "@sinclair/typebox";

export const connectionName = "^[a-z0-9]([a-z0-9_-]{0,61}[a-z0-9])?$";

export const ConnectionInput = Type.Object(
  {
    base_url: Type.Optional(Type.String({ maxLength: 2048, description: "An http or https address." })),
    material: Type.Record(Type.String({ maxLength: 255 }), Type.Unknown(), {
      minProperties: 1,
      description: "The secrets themselves, at most 16 KiB as JSON; sealed, and never shown again.",
    }),
  },
  { additionalProperties: false },
);
export type ConnectionInput = Static<typeof ConnectionInput>;

export const Connection = Type.Object({
  name: Type.String(),
  base_url: Type.Union([Type.String(), Type.Null()]),
  updated_at: Type.String({ description: "ISO 8601 UTC." }),
});
export type Connection = Static<typeof Connection>;

export const ConnectionList = Type.Object({ connections: Type.Array(Connection) });
export type ConnectionList = Static<typeof ConnectionList>;
