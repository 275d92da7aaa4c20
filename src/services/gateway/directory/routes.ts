import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { channels } from "../../../channels/channel-registry.ts";
import { ChannelName, channelNames, TenantId } from "../../../contracts/gateway/channels.ts";
import {
  AccountWebhook,
  Directory,
  DirectoryEntry,
  GatewaySetup,
} from "../../../contracts/gateway/directory.ts";
import { pageLimit, pageOffset } from "../../../http/paging.ts";
import { jsonRoutes } from "../../../http/route-plugins.ts";
import { adminCredential } from "../auth/credentials.ts";
import { type DeskDoor, deskCredential, deskTenant } from "../auth/desk-credential.ts";
import type { WebhookPorts } from "../inbound/webhook-secrets.ts";
import { fileBytesMax } from "../media/store.ts";
import { readDirectory, readEntry, readWebhook } from "./read-directory.ts";

const tags = ["accounts"];

export interface DirectoryPorts extends WebhookPorts {
  /** Address of the gateway as providers see it. */
  publicBaseUrl: string | undefined;
  withEmulator: boolean;
}

/** What a channel takes, of files that the gateway keeps. */
function sendingLimits(channel: ChannelName) {
  const { mediaBytesMax = {}, hasTemplates = false } = channels.get(channel)?.limits ?? {};
  const entries = Object.entries(mediaBytesMax).map(([kind, max]) => [kind, Math.min(max, fileBytesMax)]);
  return { media_bytes_max: Object.fromEntries(entries), has_templates: hasTemplates };
}

/** Routes through which the desk sees the accounts that it can send from. */
export const directoryRoutes = (ports: DirectoryPorts, door: DeskDoor) =>
  new Elysia({ prefix: "/admin/directory" })
    .use(jsonRoutes())
    .use(deskCredential(door))
    .get(
      "",
      async ({ query, desk }) =>
        readDirectory(ports.storage, { ...query, tenant: deskTenant(desk, query.tenant) }),
      {
        query: Type.Object({
          tenant: Type.Optional(TenantId),
          channel: Type.Optional(ChannelName),
          limit: pageLimit({ default: 50, max: 200 }),
          offset: pageOffset(),
        }),
        response: Directory,
        detail: { tags, operationId: "readDirectory", summary: "Accounts with their bindings, newest first" },
      },
    )
    .get("/:id", async ({ params, desk }) => readEntry(ports.storage, desk, params.id), {
      response: DirectoryEntry,
      detail: { tags, operationId: "readDirectoryEntry", summary: "An account with its binding" },
    });

/** The route through which the desk sees what the gateway is set up for. */
export const setupRoutes = (ports: DirectoryPorts, door: DeskDoor) =>
  new Elysia({ prefix: "/admin/setup" })
    .use(jsonRoutes())
    .use(deskCredential(door))
    .get(
      "",
      async () => ({
        channels: channelNames.map((channel) => ({
          channel,
          accepts: ports.webhookSecrets.has(channel),
          ...sendingLimits(channel),
        })),
        emulator: ports.withEmulator,
        public_base_url: ports.publicBaseUrl ?? null,
        seals: ports.sealer !== undefined,
      }),
      {
        response: GatewaySetup,
        detail: { tags, operationId: "readSetup", summary: "What this gateway is set up for" },
      },
    );

/** The route through which operators see what to enter at an account's provider. */
export const webhookAddressRoutes = (ports: DirectoryPorts, adminToken: string) =>
  new Elysia({ prefix: "/admin/accounts" })
    .use(jsonRoutes())
    .use(adminCredential(adminToken))
    .get(
      "/:id/webhook",
      async ({ params, set }) => {
        set.headers["cache-control"] = "no-store";
        return readWebhook(ports, params.id);
      },
      {
        response: AccountWebhook,
        detail: {
          tags,
          operationId: "accountWebhook",
          summary: "The address and verify token to enter at an account's provider",
        },
      },
    );
