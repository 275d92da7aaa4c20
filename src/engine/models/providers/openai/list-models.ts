import { ModelFailure } from "../../model-failure.ts";
import { startIdleWatch } from "../idle-watch.ts";
import type { ProviderPorts } from "../provider-ports.ts";
import { type Address, createConnection } from "./connection.ts";
import { plainDialect } from "./dialect.ts";
import { isRecord } from "./wire.ts";

/** The names of the models that a server lists (`GET …/models`), which costs no tokens. Throws ModelFailure. */
export async function listModels(
  provider: string,
  address: Address,
  ports: ProviderPorts,
  signal: AbortSignal,
): Promise<string[]> {
  const subject = { name: provider, model: "", dialect: plainDialect };
  const connection = createConnection(subject, address, "/models", ports);
  const watch = startIdleWatch(ports.clock, address.timeoutMs, signal);
  try {
    const names = namesIn(await connection.readWhole(await connection.send({ method: "GET" }, watch)));
    if (names) return names;
    throw new ModelFailure("unusable", `${provider} did not list its models.`);
  } catch (thrown) {
    signal.throwIfAborted();
    throw connection.asFailure(thrown, watch, false);
  } finally {
    watch.stop();
  }
}

function namesIn(json: string): string[] | undefined {
  let list: unknown;
  try {
    list = JSON.parse(json);
  } catch {
    return undefined;
  }
  if (!isRecord(list) || !Array.isArray(list.data)) return undefined;
  return list.data.flatMap((entry) => (isRecord(entry) && typeof entry.id === "string" ? [entry.id] : []));
}
