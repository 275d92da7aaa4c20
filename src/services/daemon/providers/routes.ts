import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import {
  LocalServers,
  ProviderModels,
  ProviderSetup,
  ProviderTrial,
  ProviderTrialResult,
  StoredProvider,
} from "../../../contracts/daemon/models/stored-providers.ts";
import { jsonBody } from "../../../http/bodies/json-body.ts";
import { jsonRoutes } from "../../../http/route-plugins.ts";
import type { Logger } from "../../../kit/log.ts";
import { senderIn } from "../manifests/read-sent.ts";
import { detectServers } from "./detect-servers.ts";
import { requireProvidersOwner, setUpProvider } from "./set-up-provider.ts";
import { presentProvider } from "./store.ts";
import type { StoredProviders } from "./stored-providers.ts";
import type { TrialDeps } from "./test-provider.ts";
import { listProviderModels, providerNotFound, testProvider } from "./test-provider.ts";

const tags = ["system"];

export interface ProviderRoutesDeps extends TrialDeps {
  storedProviders: StoredProviders;
  /** Agents, which are built anew after a change. */
  library: { look(): Promise<void> };
  log: Logger;
}

/** Providers that the owner sets up, tries and removes while the daemon runs. */
export const providerRoutes = (deps: ProviderRoutesDeps) =>
  new Elysia({ prefix: "/v1/system/providers" })
    .use(jsonRoutes())
    .get("/stored", async () => ({ providers: deps.storedProviders.list().map(presentProvider) }), {
      response: Type.Object({ providers: Type.Array(StoredProvider) }),
      detail: {
        tags,
        operationId: "listStoredProviders",
        summary: "Lists providers set up through the API, without keys",
      },
    })
    .post(
      "/detect",
      async ({ request, call }) => {
        requireProvidersOwner(senderIn(call));
        return detectServers(deps, request.signal);
      },
      {
        response: LocalServers,
        detail: {
          tags,
          operationId: "detectProviders",
          summary: "Looks for model servers on this machine: Ollama, LM Studio, llama.cpp and vLLM",
          description:
            "Only for the owner of this machine. Asks the usual ports of these programs on 127.0.0.1 for their models, without a key. Nothing is set up.",
        },
      },
    )
    .put(
      "/:name",
      async ({ params, body, call }) => {
        requireProvidersOwner(senderIn(call));
        await deps.storedProviders.refresh();
        const row = await setUpProvider(deps.storedProviders, params.name, body);
        deps.log.info("provider.stored", { provider: row.name, type: row.type });
        await deps.library.look();
        return presentProvider(row);
      },
      {
        ...jsonBody(ProviderSetup),
        response: StoredProvider,
        detail: {
          tags,
          operationId: "setUpProvider",
          summary: "Creates or updates a provider; agents use it immediately",
          description:
            "Only for the owner of this machine. The key is stored encrypted in the daemon's database and never returned. A provider with the same name as an entry in providers.yaml overrides the entry until the provider is deleted.",
        },
      },
    )
    .delete(
      "/:name",
      async ({ params, call, set }) => {
        requireProvidersOwner(senderIn(call));
        if (!(await deps.storedProviders.remove(params.name))) throw providerNotFound(params.name);
        deps.log.info("provider.deleted", { provider: params.name });
        await deps.library.look();
        set.status = 204;
      },
      {
        detail: {
          tags,
          operationId: "deleteProvider",
          summary: "Deletes a provider that the owner set up, with its key",
          responses: { 204: { description: "Provider deleted." } },
        },
      },
    )
    .post(
      "/:name/test",
      async ({ params, body, request, call }) => {
        requireProvidersOwner(senderIn(call));
        return testProvider(deps, params.name, body, request.signal);
      },
      {
        ...jsonBody(ProviderTrial),
        response: ProviderTrialResult,
        detail: {
          tags,
          operationId: "testProvider",
          summary: "Tests a provider; returns the latency, or the reason of the failure",
          description:
            "Only for the owner of this machine. Requests the list of models, which uses no tokens. With `type`, tests the submitted address instead of the configured one.",
        },
      },
    )
    .get(
      "/:name/models",
      async ({ params, request }) => ({
        models: await listProviderModels(deps, params.name, request.signal),
      }),
      {
        response: ProviderModels,
        detail: {
          tags,
          operationId: "listProviderModels",
          summary: "Lists the models of a provider's server",
        },
      },
    );
