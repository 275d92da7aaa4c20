import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { ChannelName, TenantId } from "../../../contracts/gateway/channels.ts";
import { ResolvedIdentity } from "../../../contracts/gateway/messages.ts";
import { jsonRoutes } from "../../../http/route-plugins.ts";
import { senderCredential } from "../auth/credentials.ts";
import type { GatewayStorage } from "../tables.ts";
import { resolveIdentity } from "./store.ts";

/** The route through which trusted services find the address that verified a phone number. */
export const identityRoutes = ({ storage }: { storage: GatewayStorage }, senderKey: string) =>
  new Elysia({ prefix: "/api/v1/identities" })
    .use(jsonRoutes())
    .use(senderCredential(senderKey))
    .get(
      "/resolve",
      async ({ query: { tenant_id: tenantId, channel, phone } }) => ({
        external_user: await resolveIdentity(storage, { tenantId, channel, phone }),
      }),
      {
        query: Type.Object({
          tenant_id: TenantId,
          channel: ChannelName,
          phone: Type.String({
            minLength: 1,
            maxLength: 64,
            description: "International, with `+`, which must be sent as `%2B`.",
          }),
        }),
        response: ResolvedIdentity,
        detail: {
          tags: ["identities"],
          operationId: "resolveIdentity",
          summary: "The address on a channel that verified a phone number",
        },
      },
    );
