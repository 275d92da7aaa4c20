import type { ConfiguredServer, ModelSources } from "../engine/models/model-sources.ts";
import type { ProviderPorts } from "../engine/models/providers/provider-ports.ts";
import { findProviderKind } from "../engine/models/providers/registry.ts";
import { withScheme } from "../engine/models/resolve-model.ts";
import { AppError } from "../kit/app-error.ts";
import { startDeadline } from "../kit/deadline.ts";
import type { Foundation } from "./foundation.ts";
import { providerFetch } from "./provider-fetch.ts";
import { keyVariables } from "./tool-secrets.ts";

/** A server on this machine refuses or answers at once; nothing at the start waits longer for it. */
const probeMs = 300;

const hostedEndpointDefault = "https://api.openai.com/v1";

/**
 * Where models come from: providers.yaml, and what the environment names. A local server counts when it was named, or
 * when it answered at its usual address.
 */
export async function discoverModels({
  config,
  clock,
  newId,
}: Pick<Foundation, "config" | "clock" | "newId">): Promise<ModelSources> {
  const { models, providers, knownSecrets } = config;
  const sources: ModelSources = { file: providers, variable: keyVariables(config.variable, knownSecrets) };
  if (!models.autoConfigure) return sources;
  const local = await localServer(models.localHost, { fetch: providerFetch, clock, newId });
  return {
    ...sources,
    ...(local === undefined ? {} : { local }),
    ...(models.hostedKey === undefined && models.hostedEndpoint === undefined
      ? {}
      : { hosted: hostedServer(models.hostedEndpoint, models.hostedKey) }),
  };
}

async function localServer(
  named: string | undefined,
  ports: ProviderPorts,
): Promise<ConfiguredServer | undefined> {
  const kind = findProviderKind("ollama");
  const given = named ?? kind?.defaultEndpoint;
  if (given === undefined) return undefined;
  const endpoint = withScheme(given);
  const unanswered = () =>
    new AppError("upstream_timed_out", "probe_timed_out", "The local model server did not answer.");
  const deadline = startDeadline(ports.clock, probeMs, unanswered);
  try {
    // A server that is no Ollama may still speak OpenAI's protocol at the same address.
    for (const address of [endpoint, `${endpoint.replace(/\/+$/, "")}/v1`]) {
      const models = await kind
        ?.listModels?.({ provider: "ollama", endpoint: address, timeoutMs: probeMs }, ports, deadline.signal)
        .catch(() => undefined);
      if (models) return { endpoint: address, models };
    }
  } finally {
    deadline.dispose();
  }
  // Nobody there: fine, unless the operator named it; then its agents say so when they run.
  return named === undefined ? undefined : { endpoint: named, models: [] };
}

function hostedServer(endpoint: string | undefined, apiKey: string | undefined): ConfiguredServer {
  return {
    endpoint: endpoint ?? hostedEndpointDefault,
    ...(apiKey === undefined ? {} : { apiKey }),
    models: [],
  };
}
