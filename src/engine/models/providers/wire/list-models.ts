import { inPieces } from "../../../../kit/concurrency/others-turn.ts";
import { readPlainJson } from "../../../../kit/json/plain-json.ts";
import { ModelFailure } from "../../model-failure.ts";
import type { ProviderPorts } from "../provider-ports.ts";
import type { Address } from "./address.ts";
import { createProviderClient } from "./connection.ts";
import { startIdleWatch } from "./idle-watch.ts";
import { isRecord } from "./json.ts";

/** Route and format of a protocol's model list: `{[list]: [{[name]: …}]}`. */
export interface ModelList {
  route: string;
  list: "data" | "models";
  name: "id" | "name";
}

/** Names of the models that a server lists, without spending tokens. Throws ModelFailure. */
export async function listModels(
  provider: string,
  modelList: ModelList,
  address: Address,
  ports: ProviderPorts,
  signal: AbortSignal,
): Promise<string[]> {
  const connection = createProviderClient({ name: provider, model: "" }, address, modelList.route, ports);
  const watch = startIdleWatch(ports.clock, address.timeoutMs, signal);
  try {
    const json = await connection.readWhole(await connection.send({ method: "GET" }, watch));
    const names = namesIn(await inPieces(readPlainJson(json), watch.signal), modelList);
    if (names) return names;
    throw new ModelFailure("unusable", `${provider} did not list its models.`);
  } catch (thrown) {
    signal.throwIfAborted();
    throw connection.asFailure(thrown, watch, false);
  } finally {
    watch.stop();
  }
}

function namesIn(answer: unknown, { list, name }: ModelList): string[] | undefined {
  const entries = isRecord(answer) ? answer[list] : undefined;
  if (!Array.isArray(entries)) return undefined;
  return entries.flatMap((entry) => {
    const found: unknown = isRecord(entry) ? entry[name] : undefined;
    return typeof found === "string" ? [found] : [];
  });
}
