import { ModelFailure } from "../../engine/models/model-failure.ts";
import type { ConfiguredServer, ModelSources } from "../../engine/models/model-sources.ts";
import type { ProviderPorts } from "../../engine/models/providers/provider-kind.ts";
import { findProviderKind } from "../../engine/models/providers/registry.ts";
import { withScheme } from "../../engine/models/resolve-model.ts";
import { AppError } from "../../kit/app-error.ts";
import { startDeadline } from "../../kit/deadline.ts";
import type { Foundation } from "../foundation.ts";
import { createProviderFetch } from "../provider-fetch.ts";
import type { Config } from "../settings/config.ts";
import { keyVariables } from "../settings/secrets/tool-secrets.ts";

/** A server on this machine refuses or answers at once; the start waits no longer for it. */
const probeMs = 300;
const hostedProbeMs = 1000;

/**
 * Discovers the sources of models: providers.yaml and the environment. A local server counts if it was named, or if it answered at its
 * default address.
 */
export async function discoverModels({
  config,
  clock,
  newId,
}: Pick<Foundation, "config" | "clock" | "newId">): Promise<ModelSources> {
  const { models, providers, runtime, knownSecrets } = config;
  const { model_defaults: defaults } = runtime.spec;
  const sources: ModelSources = {
    file: providers,
    variable: keyVariables(config.variable, knownSecrets),
    refusal: config.programs.withholding,
    ...(defaults === undefined ? {} : { defaults }),
  };
  if (!models.autoConfigure) return sources;
  const ports = { fetch: createProviderFetch(clock), clock, newId };
  const [local, hosted] = await Promise.all([
    localServer(models.localHost, ports),
    hostedServer(models, ports),
  ]);
  return { ...sources, ...(local && { local }), ...(hosted && { hosted }) };
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
    // A server other than Ollama may support OpenAI's protocol at the same address.
    for (const address of [endpoint, `${endpoint.replace(/\/+$/, "")}/v1`]) {
      let isReached = true;
      const models = await kind
        ?.listModels?.({ provider: "ollama", endpoint: address, timeoutMs: probeMs }, ports, deadline.signal)
        .catch((thrown) => {
          isReached = !(thrown instanceof ModelFailure && thrown.sign?.sign === "no_connection");
          return undefined;
        });
      if (models) return { endpoint: address, models };
      if (!isReached) break;
    }
  } finally {
    deadline.dispose();
  }
  // No server answered. If the operator named one, its agents report the failure when they run.
  return named === undefined ? undefined : { endpoint: named, models: [] };
}

async function hostedServer(
  { hostedEndpoint, hostedKey, openAiKey }: Config["models"],
  ports: ProviderPorts,
): Promise<ConfiguredServer | undefined> {
  const kind = findProviderKind("openai");
  const endpoint = hostedEndpoint ?? kind?.defaultEndpoint ?? "";
  if (hostedKey === undefined && hostedEndpoint === undefined) {
    if (openAiKey === undefined) return undefined;
    return { endpoint, apiKey: openAiKey, keyVariable: "OPENAI_API_KEY", models: [], isFound: true };
  }
  const key = hostedKey === undefined ? {} : { apiKey: hostedKey, keyVariable: "HOSTED_LLM_API_KEY" };
  // Only another vendor's server is asked for its models; OpenAI has a default model.
  const models = hostedEndpoint === undefined ? [] : await hostedModels({ endpoint, ...key }, ports);
  return { endpoint, ...key, models };
}

/** Returns the models that a hosted server lists; none if it doesn't answer in time or lists none. */
async function hostedModels(
  { endpoint, apiKey }: Pick<ConfiguredServer, "endpoint" | "apiKey">,
  ports: ProviderPorts,
): Promise<readonly string[]> {
  const unanswered = () =>
    new AppError("upstream_timed_out", "probe_timed_out", "The hosted model server did not answer.");
  const deadline = startDeadline(ports.clock, hostedProbeMs, unanswered);
  const server = { provider: "openai", endpoint, timeoutMs: hostedProbeMs };
  const key = apiKey === undefined ? {} : { apiKey: apiKey.trim() };
  try {
    const listed = findProviderKind("openai")?.listModels?.({ ...server, ...key }, ports, deadline.signal);
    return (await listed) ?? [];
  } catch {
    return [];
  } finally {
    deadline.dispose();
  }
}
