import { type Static, Type } from "@sinclair/typebox";
import { ChannelName, TenantId } from "../../contracts/gateway/channels.ts";
import { pageLimitIfGiven, pageOffset } from "../../http/paging.ts";

/** Query of a list of what one tenant has: all of it, unless a limit is given. */
export const TenantListQuery = Type.Object({
  tenant_id: TenantId,
  channel: Type.Optional(ChannelName),
  limit: pageLimitIfGiven(200),
  offset: pageOffset(),
});
export type TenantListQuery = Static<typeof TenantListQuery>;
