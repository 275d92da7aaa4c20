import { type Static, Type } from "@sinclair/typebox";
import { MemberRole } from "./members.ts";
import { ShownName } from "./shown-name.ts";

export const KeyInput = Type.Object(
  {
    label: ShownName(100),
    expires_at: Type.Optional(
      Type.String({
        maxLength: 64,
        description: "Instant after which the key is refused, ISO 8601. Default: never.",
      }),
    ),
    role: Type.Optional(
      Type.Unsafe<MemberRole>({
        ...MemberRole,
        description: "The key may do what a member with this role may. Default: everything in the tenant.",
      }),
    ),
  },
  { additionalProperties: false },
);
export type KeyInput = Static<typeof KeyInput>;

/** Returned once; only the key's hash is stored. */
export const NewKey = Type.Object({
  rawKey: Type.String(),
  label: Type.String(),
  hash: Type.String({ description: "Hash that identifies the key in lists and when revoking it." }),
});
export type NewKey = Static<typeof NewKey>;

export const KeyList = Type.Object({
  keys: Type.Array(
    Type.Object({
      hash: Type.String(),
      label: Type.String(),
      created_by: Type.Union([Type.String(), Type.Null()], {
        description: "E-mail address of the person who made it; null for the machine's owner.",
      }),
      created_at: Type.String({ description: "Creation time, ISO 8601 UTC." }),
      expires_at: Type.Union([Type.String(), Type.Null()], { description: "ISO 8601 UTC. Null: never." }),
      role: Type.Union([MemberRole, Type.Null()], { description: "Null: it may do everything." }),
      last_used_at: Type.Union([Type.String(), Type.Null()], {
        description: "Time of the last use, ISO 8601 UTC, shown within 5 s. Null: never used.",
      }),
    }),
  ),
});
export type KeyList = Static<typeof KeyList>;
