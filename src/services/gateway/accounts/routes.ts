import { Elysia } from "elysia";
import type { OutboxBell } from "../../../channels/outbox/outbox-bell.ts";
import { Account, AccountInput, AccountList } from "../../../contracts/gateway/accounts.ts";
import { Deleted } from "../../../contracts/gateway/channels.ts";
import type { GatewayChange } from "../../../contracts/gateway/events.ts";
import { jsonBody } from "../../../http/bodies/json-body.ts";
import { IfMatch, matchIn } from "../../../http/entity-tag.ts";
import { jsonRoutes } from "../../../http/route-plugins.ts";
import { adminCredential } from "../auth/credentials.ts";
import type { EventFeed } from "../events/event-feed.ts";
import { TenantListQuery } from "../tenant-list-query.ts";
import { deleteAccount, pauseAccount, resumeAccount } from "./change-account.ts";
import { type AccountPorts, accountTag, saveAccount } from "./save-account.ts";
import { getAnyAccount, listAccounts, presentAccount } from "./store.ts";

const tags = ["accounts"];

export interface AccountRoutePorts extends AccountPorts {
  bell: OutboxBell;
  feed: EventFeed;
}

/** Tells open pages of a change of an account, and returns the account. */
function told<T extends Pick<Account, "id" | "tenant_id" | "channel">>(
  { feed }: AccountRoutePorts,
  change: GatewayChange,
  account: T,
): T {
  const { id, tenant_id, channel } = account;
  feed.publish({ about: "account", change, tenant_id, account_id: id, channel });
  return account;
}

/** Routes through which operators manage the accounts of tenants. */
export const accountRoutes = (ports: AccountRoutePorts, adminToken: string) =>
  new Elysia({ prefix: "/admin/accounts" })
    .use(jsonRoutes())
    .use(adminCredential(adminToken))
    .post(
      "",
      async ({ body, request, set }) => {
        const { account, tag, isNew } = await saveAccount(ports, body, matchIn(request.headers));
        set.status = isNew ? 201 : 200;
        set.headers.etag = tag;
        return told(ports, "saved", account);
      },
      {
        ...jsonBody(AccountInput),
        headers: IfMatch,
        response: { 200: Account, 201: Account },
        detail: {
          tags,
          operationId: "saveAccount",
          summary: "Creates an account, or refreshes the credentials of the one that the tenant has",
        },
      },
    )
    .get("", async ({ query }) => ({ accounts: await listAccounts(ports.storage, query) }), {
      query: TenantListQuery,
      response: AccountList,
      detail: { tags, operationId: "listAccounts", summary: "The accounts of a tenant, oldest first" },
    })
    .get(
      "/:id",
      async ({ params, set }) => {
        const row = await getAnyAccount(ports.storage.read, ports.storage.tables, params.id);
        set.headers.etag = accountTag(row);
        return presentAccount(row);
      },
      {
        response: Account,
        detail: { tags, operationId: "getAccount", summary: "Returns an account, with its ETag" },
      },
    )
    .post("/:id/pause", async ({ params }) => told(ports, "paused", await pauseAccount(ports, params.id)), {
      response: Account,
      detail: {
        tags,
        operationId: "pauseAccount",
        summary: "Lets an account send nothing until it is resumed",
      },
    })
    .post(
      "/:id/resume",
      async ({ params }) => told(ports, "resumed", await resumeAccount(ports, params.id)),
      {
        response: Account,
        detail: { tags, operationId: "resumeAccount", summary: "Lets a paused account send again" },
      },
    )
    .delete(
      "/:id",
      async ({ params }) => {
        const { id, tenantId, channel } = await deleteAccount(ports, params.id);
        told(ports, "deleted", { id, tenant_id: tenantId, channel });
        return { deleted: true as const };
      },
      {
        response: Deleted,
        detail: { tags, operationId: "deleteAccount", summary: "Deletes an account and its binding" },
      },
    );
