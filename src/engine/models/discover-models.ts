import { AppError } from "../../kit/app-error.ts";
import { startDeadline } from "../../kit/deadline.ts";
import type { ProvidersFile } from "../../manifest/files/providers-file.ts";
import type { RuntimeFile } from "../../manifest/files/runtime-file.ts";
import { ModelFailure } from "./model-failure.ts";
import type { ConfiguredServer, ModelSources } from "./model-sources.ts";
import type { ProviderPorts } from "./providers/provider-kind.ts";
import { findProviderKind } from "./providers/registry.ts";
import { withScheme } from "./resolve-model.ts";

/** A server on this machine refuses or answers at once; the start waits no longer for it. */
const probeMs = 300;
const hostedProbeMs = 1000;

/** Files and variables that name models. */
export interface DiscoverySettings {
  providers: ProvidersFile;
  runtime: RuntimeFile;
  /** Variables with keys; each is masked once read. */
  variable: ModelSources["variable"];
  /** Returns why the files get no variables; undefined if they do. */
  refusal: ModelSources["refusal"];
  models: {
    /** False if no server is looked for. */
    autoConfigure: boolean;
    localHost?: string;
    hostedKey?: string;
    hostedEndpoint?: string;
    openAiKey?: string;
  };
}

/**
 * Discovers the sources of models: providers.yaml and the environment. A local server counts if it was named, or if it answered at its
 * default address.
 */
export async function discoverModels(config: DiscoverySettings, ports: ProviderPorts): Promise<ModelSources> {
  const { models, providers, runtime, variable, refusal } = config;
  const { model_defaults: defaults } = runtime.spec;
  const sources: ModelSources = {
    file: providers,
    variable,
    ...(refusal && { refusal }),
    ...(defaults === undefined ? {} : { defaults }),
  };
  if (!models.autoConfigure) return sources;
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
  { hostedEndpoint, hostedKey, openAiKey }: DiscoverySettings["models"],
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
