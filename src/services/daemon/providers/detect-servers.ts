import { Value } from "@sinclair/typebox/value";
import type { LocalServer, LocalServers } from "../../../contracts/daemon/models/stored-providers.ts";
import { firstFreeName } from "../../../contracts/free-name.ts";
import { Liveness } from "../../../contracts/health.ts";
import type { ModelSources } from "../../../engine/models/model-sources.ts";
import type { ProviderFetch } from "../../../engine/models/providers/provider-kind.ts";
import { findProviderKind } from "../../../engine/models/providers/registry.ts";
import { withScheme } from "../../../engine/models/resolve-model.ts";
import { AppError } from "../../../kit/app-error.ts";
import { startDeadline } from "../../../kit/deadline.ts";
import { readBounded } from "../../../kit/fetch/bounded-body.ts";
import type { TrialDeps } from "./test-provider.ts";

/** A server on this machine refuses or answers at once, unless it is loading a model. */
const patienceMs = 2_000;
const modelsMax = 200;
const livenessBytesMax = 4096;

/**
 * Addresses where these programs listen unless told otherwise. They are constants on loopback, so that no request can make the daemon look
 * elsewhere; a daemon at one of them is left out. LM Studio speaks the protocol of a llama.cpp server.
 */
export const places = [
  { program: "Ollama", name: "ollama", type: "ollama", endpoint: "http://127.0.0.1:11434" },
  { program: "LM Studio", name: "lmstudio", type: "llamacpp", endpoint: "http://127.0.0.1:1234/v1" },
  { program: "llama.cpp", name: "llamacpp", type: "llamacpp", endpoint: "http://127.0.0.1:8080/v1" },
  { program: "vLLM", name: "vllm", type: "vllm", endpoint: "http://127.0.0.1:8000/v1" },
] as const;

type Place = (typeof places)[number];

/** Returns the model servers that answer on this machine. A server that doesn't answer within 2 s is left out. */
export async function detectServers(
  deps: Omit<TrialDeps, "modelCatalog"> & { modelCatalog: Pick<TrialDeps["modelCatalog"], "sources"> },
  signal: AbortSignal,
): Promise<LocalServers> {
  const servers = await Promise.all(places.map((place) => ask(deps, place, signal)));
  signal.throwIfAborted();
  const { sources } = deps.modelCatalog;
  return {
    servers: servers.flatMap((models, at) => {
      const place = places[at];
      return models === undefined || place === undefined ? [] : [present(place, models, sources)];
    }),
    looked_at: places.map(({ endpoint }) => endpoint),
  };
}

async function ask(
  { clock, providerPorts }: Pick<TrialDeps, "clock" | "providerPorts">,
  { name, type, endpoint }: Place,
  signal: AbortSignal,
): Promise<string[] | undefined> {
  const silent = () =>
    new AppError("upstream_timed_out", "probe_timed_out", "The local model server did not answer.");
  const deadline = startDeadline(clock, patienceMs, silent, [signal]);
  try {
    const options = { provider: name, endpoint, timeoutMs: patienceMs };
    const models = await findProviderKind(type)?.listModels?.(options, providerPorts, deadline.signal);
    if (await isArgosy(endpoint, providerPorts.fetch, deadline.signal)) return undefined;
    return models?.sort().slice(0, modelsMax);
  } catch {
    // Nothing listens there, or another program does.
    return undefined;
  } finally {
    deadline.dispose();
  }
}

/** Returns true for a daemon, this one or another: its models are its own agents, and a run would call itself. */
async function isArgosy(endpoint: string, fetch: ProviderFetch, signal: AbortSignal): Promise<boolean> {
  try {
    const answer = await fetch(new URL("/healthz", endpoint).href, { signal });
    const bytes = await readBounded(answer, livenessBytesMax);
    return Value.Check(Liveness, JSON.parse(new TextDecoder().decode(bytes)));
  } catch {
    signal.throwIfAborted();
    return false;
  }
}

/** Names the provider that has this address; otherwise a name that no entry has, because setting one up replaces it. */
function present(
  { program, name, type, endpoint }: Place,
  models: string[],
  { file, local }: ModelSources,
): LocalServer {
  const entries = file?.providers ?? {};
  const [configured] = Object.entries(entries).find(([, entry]) => isSame(addressOf(entry), endpoint)) ?? [];
  const usesDefault = name === "ollama" && isSame(local?.endpoint, endpoint) ? "ollama" : undefined;
  const taken = configured ?? usesDefault;
  const free = () =>
    firstFreeName(
      (number) => (number === 1 ? name : `${name}-${number}`),
      (other) => Object.hasOwn(entries, other),
      Object.keys(entries).length,
    );
  return { program, name: taken ?? free(), type, endpoint, models, set_up: taken !== undefined };
}

const addressOf = ({ type, endpoint }: { type: string; endpoint?: string | undefined }) =>
  endpoint ?? findProviderKind(type)?.defaultEndpoint;

/** Compares addresses as people write them: `localhost` or 127.0.0.1, with or without `/v1` or a final slash. */
function isSame(one: string | undefined, other: string): boolean {
  return one !== undefined && originOf(one) === originOf(other);
}

function originOf(address: string): string | undefined {
  const url = URL.parse(withScheme(address));
  if (url === null) return undefined;
  if (url.hostname === "localhost" || url.hostname === "[::1]") url.hostname = "127.0.0.1";
  return url.origin;
}
