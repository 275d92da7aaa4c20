import { type Static, Type } from "@sinclair/typebox";
import { ShownName } from "../platform/shown-name.ts";

export const CloudKeyInput = Type.Object({ name: ShownName(100) }, { additionalProperties: false });
export type CloudKeyInput = Static<typeof CloudKeyInput>;

export const NewCloudKey = Type.Object({
  id: Type.String(),
  name: Type.String(),
  secret: Type.String({ description: "Begins with `ask-`; shown this once." }),
  created_at: Type.String(),
});
export type NewCloudKey = Static<typeof NewCloudKey>;

export const CloudKey = Type.Object({
  id: Type.String(),
  name: Type.String(),
  prefix: Type.String({ description: "The leading part of the secret." }),
  created_at: Type.String(),
  last_used_at: Type.Union([Type.String(), Type.Null()]),
});
export type CloudKey = Static<typeof CloudKey>;

export const CloudKeyList = Type.Object({ keys: Type.Array(CloudKey) });
export type CloudKeyList = Static<typeof CloudKeyList>;
