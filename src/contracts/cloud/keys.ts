import { type Static, Type } from "@sinclair/typebox";
import { ShownName } from "../platform/shown-name.ts";

export const CloudKeyInput = Type.Object(
  {
    name: ShownName(100),
    expires_at: Type.Optional(
      Type.String({
        maxLength: 64,
        description: "Instant after which the key is refused, ISO 8601. Default: never.",
      }),
    ),
  },
  { additionalProperties: false },
);
export type CloudKeyInput = Static<typeof CloudKeyInput>;

export const NewCloudKey = Type.Object({
  id: Type.String(),
  name: Type.String(),
  secret: Type.String({ description: "Begins with `ask-`; shown this once." }),
  created_at: Type.String(),
  expires_at: Type.Union([Type.String(), Type.Null()]),
});
export type NewCloudKey = Static<typeof NewCloudKey>;

export const CloudKey = Type.Object({
  id: Type.String(),
  name: Type.String(),
  prefix: Type.String({ description: "The leading part of the secret." }),
  created_by: Type.Union([Type.String(), Type.Null()], {
    description: "E-mail address of the person who made it; null for the machine's owner.",
  }),
  created_at: Type.String(),
  expires_at: Type.Union([Type.String(), Type.Null()], { description: "Null: never." }),
  last_used_at: Type.Union([Type.String(), Type.Null()], {
    description: "Time of the last use, ISO 8601 UTC, shown within 5 s. Null: never used.",
  }),
});
export type CloudKey = Static<typeof CloudKey>;

export const CloudKeyList = Type.Object({ keys: Type.Array(CloudKey) });
export type CloudKeyList = Static<typeof CloudKeyList>;
