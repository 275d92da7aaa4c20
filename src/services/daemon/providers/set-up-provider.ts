import type { ProviderSetup } from "../../../contracts/daemon/models/stored-providers.ts";
import {
  canonicalProvider,
  findProviderKind,
  providerKinds,
} from "../../../engine/models/providers/registry.ts";
import { AppError, type Problem } from "../../../kit/app-error.ts";
import { isTrusted, type Sender } from "../../../manifest/senders/sender.ts";
import type { StoredProviderRow } from "./schema.ts";
import { keyContext, type StoredProviders } from "./stored-providers.ts";

/** The kinds that are called over the network. */
export const settableKinds = providerKinds.filter(({ listModels }) => listModels !== undefined);

const namePattern = /^[a-z0-9]([a-z0-9_-]{0,61}[a-z0-9])?$/;
const providersMax = 64;

/** Throws `owner_only` (403) unless the caller is the machine's owner. */
export function requireProvidersOwner(sender: Sender): void {
  if (isTrusted(sender)) return;
  throw new AppError("forbidden", "owner_only", "Only this machine's owner sets up providers.", {
    details: {
      hint: "Open the console with `argosy console`, or set spec.agents.trusted_senders: token in runtime.yaml and send PLATFORM_API_TOKEN.",
    },
  });
}

/** Stores a provider, its key sealed; refuses what could not be called, and a key that would go to another address than before. */
export async function setUpProvider(
  stored: StoredProviders,
  name: string,
  { type: givenType, endpoint, api_key: given, context_window, prices }: ProviderSetup,
): Promise<StoredProviderRow> {
  const before = stored.find(name);
  const type = canonicalProvider(givenType);
  requireSound([...nameProblems(name), ...addressProblems(type, endpoint)]);
  if (before === undefined && stored.list().length >= providersMax) {
    throw new AppError(
      "conflict",
      "too_many_providers",
      `The limit of ${providersMax} providers is reached.`,
      {
        details: { hint: "Delete one that no agent uses." },
      },
    );
  }
  const isSamePlace = before?.type === type && before.endpoint === (endpoint ?? null);
  const currentKey = before?.apiKey ?? null;
  if (given === undefined && currentKey !== null && !isSamePlace) {
    const message = "must be entered again, because type or endpoint changed; null removes the stored key";
    requireSound([{ path: "api_key", message }]);
  }
  return stored.save({
    name,
    type,
    endpoint: endpoint ?? null,
    contextWindow: context_window ?? null,
    prices: prices ?? before?.prices ?? {},
    apiKey: given === undefined ? currentKey : given === null ? null : sealed(stored, name, given),
  });
}

/** The faults of a kind and its address. */
export function addressProblems(type: string, endpoint: string | undefined): Problem[] {
  const kind = settableKinds.find((one) => one.name === findProviderKind(type)?.name);
  if (kind === undefined) {
    const names = settableKinds.map((one) => one.name).join(", ");
    return [{ path: "type", message: `must be one of ${names}, got ${JSON.stringify(type)}` }];
  }
  if (endpoint === undefined) {
    const message = `is missing: ${kind.name} needs the address of its server`;
    return kind.needsEndpoint ? [{ path: "endpoint", message }] : [];
  }
  const address = URL.parse(endpoint);
  if (address === null || !/^https?:$/.test(address.protocol)) {
    return [{ path: "endpoint", message: "must be an http:// or https:// address" }];
  }
  if (address.username !== "" || address.password !== "") {
    return [{ path: "endpoint", message: "must not contain a user or a password; use api_key" }];
  }
  const fault = kind.endpointFault?.(endpoint);
  return fault === undefined ? [] : [{ path: "endpoint", message: fault }];
}

/** Throws AppError `invalid_request` for the first of the problems, with all of them. */
export function requireSound(problems: readonly Problem[]): void {
  const [first] = problems;
  if (first === undefined) return;
  throw new AppError(
    "invalid",
    "invalid_request",
    `The provider is not valid: ${first.path} ${first.message}.`,
    { details: { problems: [...problems] } },
  );
}

function nameProblems(name: string): Problem[] {
  if (!namePattern.test(name)) {
    const message =
      "must be 1 to 63 lower-case letters, digits, - and _, with a letter or digit at both ends";
    return [{ path: "name", message }];
  }
  if (name === "rehearsal" || name === "onnx")
    return [{ path: "name", message: `can't be ${name}, which is built in` }];
  const one = canonicalProvider(name);
  return one === name ? [] : [{ path: "name", message: `is another name of ${one}; use ${one}` }];
}

function sealed({ sealer }: StoredProviders, name: string, key: string): string {
  if (sealer !== undefined) return sealer.seal(key, keyContext(name));
  throw new AppError(
    "unavailable",
    "sealing_keys_missing",
    "There are no sealing keys, so no API key can be stored.",
    {
      details: { hint: "Run `argosy secrets init`, or set ARGOSY_SEALING_KEYS, and start Argosy again." },
    },
  );
}
