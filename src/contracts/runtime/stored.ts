import { type Static, Type } from "@sinclair/typebox";

/** Owners whose stored bytes a control plane asks for. */
export const AskedOwners = Type.Object(
  { owners: Type.Array(Type.String({ minLength: 1, maxLength: 64 }), { maxItems: 200 }) },
  { additionalProperties: false },
);

export const StoredBytes = Type.Object({
  stored: Type.Array(
    Type.Object({
      owner_id: Type.String(),
      area: Type.String({ description: "Kind of what is stored, such as `memory`." }),
      bytes: Type.Integer(),
    }),
  ),
});
export type StoredBytes = Static<typeof StoredBytes>;
