import { type Static, Type } from "@sinclair/typebox";

export const connectionName = "^[a-z0-9]([a-z0-9_-]{0,61}[a-z0-9])?$";

export const ConnectionInput = Type.Object(
  {
    base_url: Type.String({
      minLength: 1,
      maxLength: 2048,
      description: "Base URL, http or https. The secrets are sent to addresses below it, and to no other.",
    }),
    material: Type.Record(Type.String({ maxLength: 255 }), Type.Unknown(), {
      minProperties: 1,
      description: "Secrets, at most 16 KiB as JSON. Stored encrypted and never returned.",
    }),
  },
  { additionalProperties: false },
);
export type ConnectionInput = Static<typeof ConnectionInput>;

export const Connection = Type.Object({
  name: Type.String(),
  base_url: Type.Union([Type.String(), Type.Null()], {
    description:
      "Null for a connection of an earlier version, which is not used until it is stored again with one.",
  }),
  updated_at: Type.String({ description: "Time of the last update, ISO 8601 UTC." }),
});
export type Connection = Static<typeof Connection>;

export const ConnectionList = Type.Object({ connections: Type.Array(Connection) });
export type ConnectionList = Static<typeof ConnectionList>;
