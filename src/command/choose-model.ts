import { createProviderFetch } from "../compose/provider-fetch.ts";
import type { LocalServer } from "../contracts/daemon/models/stored-providers.ts";
import { findProviderKind, providerKinds } from "../engine/models/providers/registry.ts";
import { AppError } from "../kit/app-error.ts";
import { systemClock } from "../kit/clock.ts";
import { newId } from "../kit/id.ts";
import { detectServers, places } from "../services/daemon/providers/detect-servers.ts";

/** A model for providers.yaml of a new workspace. */
export interface ChosenModel {
  /** The entry's name. */
  name: string;
  type: string;
  endpoint?: string;
  /** The variable with the key. */
  keyVariable?: string;
  model: string;
  /** What is missing before it answers. */
  advice?: string;
}

/** Returns the model servers that answer on this machine, of those that have a model. */
export async function findLocalServers(signal: AbortSignal): Promise<LocalServer[]> {
  const providerPorts = { fetch: createProviderFetch(systemClock), clock: systemClock, newId };
  const modelCatalog = { sources: { variable: () => undefined } };
  const { servers } = await detectServers({ clock: systemClock, providerPorts, modelCatalog }, signal);
  return servers.filter(({ models }) => models.length > 0);
}

/** The first model that a server lists; embedding models can't answer. */
export function localModel({ name, type, endpoint, models }: LocalServer): ChosenModel {
  const model = models.find((one) => !/embed|rerank/i.test(one)) ?? models[0] ?? "";
  return { name, type, endpoint, model };
}

/**
 * Reads `<provider>/<model>`, `<provider>` for a provider's usual model, or `auto` for the first server on this machine. Throws AppError if
 * there is no such provider, or none that answers for `auto`.
 */
export async function chooseModel(
  text: string,
  servers: (signal: AbortSignal) => Promise<readonly LocalServer[]>,
  signal: AbortSignal,
): Promise<ChosenModel> {
  const slash = text.indexOf("/");
  const provider = slash === -1 ? text : text.slice(0, slash);
  const model = slash === -1 ? "" : text.slice(slash + 1);
  if (text === "auto") {
    const [first] = await servers(signal);
    if (first !== undefined) return localModel(first);
    throw new AppError("unavailable", "no_model_server", "No model server answers on this machine.", {
      details: {
        hint: `Start one (${places.map(({ program }) => program).join(", ")}), or name a model: --model ollama/llama3.2.`,
      },
    });
  }
  if (/[\s\p{Cc}]/u.test(text) || (slash !== -1 && model === ""))
    throw refused(text, "Write <provider>/<model>, such as ollama/llama3.2.");
  const place = places.find(({ name }) => name === provider);
  if (place !== undefined) return atPlace(place, model, await servers(signal));
  const kind = findProviderKind(provider);
  if (kind === undefined || kind.listModels === undefined || kind.needsEndpoint) {
    const usable = providerKinds.filter((one) => one.listModels !== undefined && !one.needsEndpoint);
    const names = new Set([...places, ...usable].map(({ name }) => name));
    throw refused(
      text,
      `The provider is one of ${[...names].join(", ")}; others are written in providers.yaml.`,
    );
  }
  const chosen = model === "" ? kind.defaultModel : model;
  if (chosen === undefined) throw refused(text, `Name a model: ${provider}/<model>.`);
  const keyVariable = `${kind.name.toUpperCase()}_API_KEY`;
  return {
    name: kind.name,
    type: kind.name,
    keyVariable,
    model: chosen,
    advice: `Set ${keyVariable} in the environment of Argosy.`,
  };
}

function atPlace(
  { name, type, endpoint, program }: (typeof places)[number],
  model: string,
  servers: readonly LocalServer[],
): ChosenModel {
  const server = servers.find((one) => one.endpoint === endpoint);
  const listed = server && localModel(server).model;
  const chosen = model || (listed ?? findProviderKind(type)?.defaultModel);
  if (!chosen) throw refused(name, `Name a model: ${name}/<model>.`);
  const pull = name === "ollama" ? `, and run \`ollama pull ${chosen}\`` : "";
  const isThere = server?.models.some((one) => one === chosen || one === `${chosen}:latest`);
  if (isThere === true) return { name, type, endpoint, model: chosen };
  const advice =
    server === undefined
      ? `${program} does not answer at ${endpoint} now: start it${pull}.`
      : `${program} does not have ${chosen} now; it has ${server.models.slice(0, 5).join(", ")}.`;
  return { name, type, endpoint, model: chosen, advice };
}

const refused = (text: string, hint: string) =>
  new AppError("invalid", "usage", `${JSON.stringify(text)} names no model that init can set up.`, {
    details: { hint },
  });
