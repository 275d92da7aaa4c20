import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { OrgProviderList, ProviderKeyInput, ProviderSaved } from "../../../contracts/cloud/providers.ts";
import { jsonBody } from "../../../http/bodies/json-body.ts";
import { jsonRoutes } from "../../../http/route-plugins.ts";
import { limitChanges } from "../access/change-limit.ts";
import { orgCredential, requireManager } from "../access/credentials.ts";
import type { AccessDeps } from "../access/deps.ts";
import { limitOrgStorage } from "../room/org-room.ts";
import { deleteProviderKey, listProviderKeys, type ProviderDeps, saveProviderKey } from "./provider-keys.ts";

const tags = ["providers"];

/** Routes for an org's provider keys. */
export const providerRoutes = (deps: AccessDeps & ProviderDeps) =>
  new Elysia({ prefix: "/api/v1/orgs/:slug/providers" })
    .use(jsonRoutes())
    .use(orgCredential(deps))
    .derive(limitChanges(deps))
    .derive(limitOrgStorage(deps))
    .get("", async ({ actor }) => listProviderKeys(deps, actor), {
      response: OrgProviderList,
      detail: { tags, operationId: "listProviders", summary: "Providers with a key, masked" },
    })
    .post(
      "",
      async ({ actor, body }) => {
        requireManager(actor);
        return saveProviderKey(deps, actor, body);
      },
      {
        ...jsonBody(ProviderKeyInput),
        response: ProviderSaved,
        detail: { tags, operationId: "saveProvider", summary: "Adds or replaces the key of a provider" },
      },
    )
    .delete(
      "/:provider",
      async ({ actor, params, set }) => {
        requireManager(actor);
        await deleteProviderKey(deps, actor, params.provider);
        set.status = 204;
      },
      {
        response: { 204: Type.Void() },
        detail: {
          tags,
          operationId: "deleteProvider",
          summary: "Removes a provider's key; deployed agents that use it then fail",
        },
      },
    );
