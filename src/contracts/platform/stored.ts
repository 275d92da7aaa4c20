import { type Static, Type } from "@sinclair/typebox";

/** What a tenant or an org stores, and how much its plan lets it. */
export const StorageUse = Type.Object({
  stored_bytes: Type.Integer({
    description:
      "Bytes of everything stored, about a minute old for memory, traces, documents and messages of channels.",
  }),
  limit_bytes: Type.Union([Type.Integer(), Type.Null()], { description: "Limit of the plan; null: none." }),
  areas: Type.Array(Type.Object({ area: Type.String(), bytes: Type.Integer() }), {
    description: "Bytes by what they are, the most first.",
  }),
});
export type StorageUse = Static<typeof StorageUse>;
