import type {
  ProviderTrial,
  ProviderTrialResult,
} from "../../../contracts/daemon/models/stored-providers.ts";
import type { ProviderPorts } from "../../../engine/models/providers/provider-kind.ts";
import { findProviderKind } from "../../../engine/models/providers/registry.ts";
import { isOwnAddress, withScheme } from "../../../engine/models/resolve-model.ts";
import { AppError, toAppError } from "../../../kit/app-error.ts";
import type { Clock } from "../../../kit/clock.ts";
import { startDeadline } from "../../../kit/deadline.ts";
import type { ModelCatalog } from "./model-catalog.ts";
import { addressProblems, requireSound } from "./set-up-provider.ts";

const patienceMs = 10_000;

/** Dependencies for calling a provider on trial. */
export interface TrialDeps {
  clock: Clock;
  modelCatalog: ModelCatalog;
  providerPorts: ProviderPorts;
}

interface Place {
  type: string;
  endpoint?: string;
  apiKey?: string;
}

/** Calls a provider as it is configured, or as it would be; a failure is a result with its reason. */
export async function testProvider(
  deps: TrialDeps,
  name: string,
  trial: ProviderTrial,
  signal: AbortSignal,
): Promise<ProviderTrialResult> {
  const place = placeOfTrial(deps, name, trial);
  requireSound(addressProblems(place.type, place.endpoint));
  const beganMs = deps.clock.monotonicMs();
  const latency = () => Math.round(deps.clock.monotonicMs() - beganMs);
  try {
    const models = await ask(deps, name, place, signal);
    return { ok: true, latency_ms: latency(), ...(models === undefined ? {} : { models }) };
  } catch (thrown) {
    signal.throwIfAborted();
    const { code, message, details } = toAppError(thrown);
    const hint = details.hint === undefined ? {} : { hint: details.hint };
    return { ok: false, latency_ms: latency(), error: code, message, ...hint };
  }
}

/** The models that a configured provider lists. Throws AppError `provider_not_found` (404), or the provider's failure. */
export async function listProviderModels(
  deps: TrialDeps,
  name: string,
  signal: AbortSignal,
): Promise<string[]> {
  const place = configuredPlace(deps, name);
  if (place === undefined) throw providerNotFound(name);
  return (await ask(deps, name, place, signal)) ?? [];
}

export const providerNotFound = (name: string) =>
  new AppError("not_found", "provider_not_found", `There is no provider named ${JSON.stringify(name)}.`, {
    details: { hint: "GET /v1/system/providers lists them." },
  });

/** Its list, which costs no tokens; a server without one is probed at the route that runs call. */
async function ask(
  { clock, providerPorts }: TrialDeps,
  name: string,
  { type, endpoint, apiKey }: Place,
  signal: AbortSignal,
): Promise<string[] | undefined> {
  const kind = findProviderKind(type);
  const options = {
    provider: name,
    timeoutMs: patienceMs,
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(apiKey === undefined ? {} : { apiKey }),
  };
  const deadline = startDeadline(clock, patienceMs, noAnswer, [signal]);
  try {
    return (await kind?.listModels?.(options, providerPorts, deadline.signal))?.sort();
  } catch (unlisted) {
    const { probe } = kind?.build({ ...options, model: "probe", parameters: {} }, providerPorts) ?? {};
    deadline.signal.throwIfAborted();
    if (probe === undefined) throw unlisted;
    await probe(deadline.signal);
    return undefined;
  } finally {
    deadline.dispose();
  }
}

/** The entry to test: the given values over the configured ones. A stored key is only sent to the address it belongs to. */
function placeOfTrial(deps: TrialDeps, name: string, { type, endpoint, api_key }: ProviderTrial): Place {
  const configured = configuredPlace(deps, name);
  if (type === undefined) {
    if (configured === undefined) throw providerNotFound(name);
    return { ...configured, ...(api_key === undefined ? {} : { apiKey: api_key }) };
  }
  const isSamePlace = configured?.type === findProviderKind(type)?.name && configured?.endpoint === endpoint;
  const apiKey = api_key ?? (isSamePlace ? configured?.apiKey : undefined);
  return {
    type,
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(apiKey === undefined ? {} : { apiKey }),
  };
}

function configuredPlace({ modelCatalog: { sources } }: TrialDeps, name: string): Place | undefined {
  const entries = sources.file?.providers ?? {};
  const entry = Object.hasOwn(entries, name) ? entries[name] : undefined;
  if (entry !== undefined) {
    const kind = findProviderKind(entry.type);
    const refusal = isOwnAddress(entry.endpoint, {}, entry, kind) ? sources.refusal?.() : undefined;
    const variable = refusal === undefined ? entry.api_key_env : undefined;
    const key =
      sources.stored?.keyOf(name) ??
      (variable === undefined ? undefined : sources.variable(variable)?.trim());
    return {
      type: kind?.name ?? entry.type,
      ...(entry.endpoint === undefined ? {} : { endpoint: entry.endpoint }),
      ...(key ? { apiKey: key } : {}),
    };
  }
  const server = name === "ollama" ? sources.local : name === "openai" ? sources.hosted : undefined;
  if (server === undefined) return undefined;
  const key = server.apiKey?.trim();
  return { type: name, endpoint: withScheme(server.endpoint), ...(key ? { apiKey: key } : {}) };
}

function noAnswer(): AppError {
  return new AppError(
    "upstream_timed_out",
    "probe_timed_out",
    `The provider did not answer within ${patienceMs / 1000} s.`,
    { details: { hint: "Check the base URL, and whether the server runs." } },
  );
}
