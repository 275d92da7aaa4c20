import { readBounded } from "../../../../kit/fetch/bounded-body.ts";
import { isRecord } from "../../../../kit/json/is-record.ts";
import { ModelFailure } from "../../model-failure.ts";
import type { ProviderPorts } from "../provider-kind.ts";
import { type ProviderAddress, routeOf } from "./address.ts";
import { createProviderClient } from "./connection.ts";
import { failureOfStatus } from "./failure.ts";
import { startIdleWatch } from "./idle-watch.ts";

const bodyBytesMax = 64 * 1024;

/** Statuses of a working server that accepted the key but has no such route: many servers list no models. */
const isLiving = (status: number) =>
  status === 501 || (status >= 400 && status < 500 && ![401, 402, 403, 407, 408].includes(status));

/**
 * Checks with `GET` requests, which cost no tokens, that a server answers: first the route that lists its models, and if that does not
 * exist, the chat route. Throws ModelFailure if the server is unreachable or broken, refuses the key, or redirects.
 */
export async function probeServer(
  provider: string,
  routes: { list: string; chat: string },
  address: ProviderAddress,
  ports: ProviderPorts,
  signal: AbortSignal,
): Promise<void> {
  const subject = { name: provider, model: "" };
  const connection = createProviderClient(subject, address, ports);
  const watch = startIdleWatch(ports.clock, address.timeoutMs, signal);
  const ask = async (route: string) => {
    const init = { method: "GET", headers: address.headers, redirect: "manual" as const };
    const response = await ports.fetch(routeOf(address.base, route), { ...init, signal: watch.signal });
    if (response.ok && (response.headers.get("content-type") ?? "").includes("text/html"))
      throw connection.webPage();
    if (response.ok || isLiving(response.status)) {
      void response.body?.cancel().catch(() => undefined);
      return response.ok;
    }
    const body = await readBounded(response, bodyBytesMax).catch(() => new Uint8Array());
    throw failureOfStatus(subject, response, new TextDecoder().decode(body), ports.clock);
  };
  try {
    if (!(await ask(routes.list))) await ask(routes.chat);
  } catch (thrown) {
    signal.throwIfAborted();
    throw connection.asFailure(thrown, watch, false);
  } finally {
    watch.stop();
  }
}

/** Route and format of a protocol's model list: `{[list]: [{[name]: …}]}`. */
export interface ServerModelList {
  route: string;
  list: "data" | "models";
  name: "id" | "name";
}

/** Names of the models that a server lists, without spending tokens. Throws ModelFailure. */
export async function listModels(
  provider: string,
  modelList: ServerModelList,
  address: ProviderAddress,
  ports: ProviderPorts,
  signal: AbortSignal,
): Promise<string[]> {
  const connection = createProviderClient({ name: provider, model: "" }, address, ports);
  const watch = startIdleWatch(ports.clock, address.timeoutMs, signal);
  try {
    const json = await connection.readWhole(await connection.send(modelList.route, { method: "GET" }, watch));
    const names = namesIn(await connection.parseLong(json, watch.signal), modelList);
    if (names) return names;
    throw new ModelFailure("unusable", `${provider} did not list its models.`);
  } catch (thrown) {
    signal.throwIfAborted();
    throw connection.asFailure(thrown, watch, false);
  } finally {
    watch.stop();
  }
}

function namesIn(answer: unknown, { list, name }: ServerModelList): string[] | undefined {
  const entries = isRecord(answer) ? answer[list] : undefined;
  if (!Array.isArray(entries)) return undefined;
  return entries.flatMap((entry) => {
    const property: unknown = isRecord(entry) ? entry[name] : undefined;
    return typeof property === "string" ? [property] : [];
  });
}
