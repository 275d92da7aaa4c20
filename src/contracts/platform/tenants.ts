import { type Static, Type } from "@sinclair/typebox";
import { ShownName } from "./shown-name.ts";

export const TenantInput = Type.Object({ displayName: ShownName(255) }, { additionalProperties: false });
export type TenantInput = Static<typeof TenantInput>;

export const Tenant = Type.Object({
  id: Type.String(),
  crName: Type.String({ description: "Unique DNS label. Never reused, even after deletion." }),
  displayName: Type.String(),
});
export type Tenant = Static<typeof Tenant>;
