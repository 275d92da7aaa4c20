import { type Static, Type } from "@sinclair/typebox";
import { TenantId } from "./channels.ts";

/** What a gateway keeps for tenants, by the words under which they see it. */
export const gatewayAreas = ["messages", "deliveries", "outbox", "message_trail", "channels"] as const;
export type GatewayArea = (typeof gatewayAreas)[number];

/** Most tenants of one request. */
export const toldTenantsMax = 200;

/** How much tenants may store in all services, and how much of it lies outside the gateway. */
export const StorageLimits = Type.Object(
  {
    tenants: Type.Array(
      Type.Object(
        {
          tenant_id: TenantId,
          limit_bytes: Type.Union([Type.Integer({ minimum: 0, maximum: 2 ** 50 }), Type.Null()], {
            description: "Bytes of everything that the tenant may store; null: no limit.",
          }),
          elsewhere_bytes: Type.Integer({
            minimum: 0,
            maximum: 2 ** 52,
            description: "Bytes that the tenant stores in other services.",
          }),
        },
        { additionalProperties: false },
      ),
      { maxItems: toldTenantsMax },
    ),
  },
  { additionalProperties: false },
);
export type StorageLimits = Static<typeof StorageLimits>;
