import { isRecord } from "../../../../kit/json/is-record.ts";
import type { JsonObject } from "../../mapping/section-table.ts";
import { pollUntil, refusalError } from "../cloud-call.ts";
import { type AwsApi, cloud } from "./aws-api.ts";
import type { AwsWork } from "./aws-kind.ts";

export const agentPath = (id: string) => `/agents/${encodeURIComponent(id)}/`;

export const agentOf = (answer: JsonObject | undefined): JsonObject =>
  isRecord(answer?.agent) ? answer.agent : {};

export async function getAgent(
  api: AwsApi,
  id: string,
  signal: AbortSignal,
): Promise<JsonObject | undefined> {
  const answer = await api.call({
    service: "agents",
    method: "GET",
    path: agentPath(id),
    action: `read ${id}`,
    signal,
  });
  return answer && agentOf(answer);
}

/** Prepares the draft once the cloud has stored it, and waits for its end. */
export async function prepare({ api, name, signal }: AwsWork, id: string): Promise<void> {
  const status = async (wanted: readonly string[]) =>
    pollUntil(api.clock, signal, `The agent ${name}`, async () => {
      const agent = await getAgent(api, id, signal);
      const state = String(agent?.agentStatus ?? "gone");
      if (wanted.includes(state)) return true;
      if (["FAILED", "DELETING", "gone"].includes(state)) {
        const reasons = Array.isArray(agent?.failureReasons) ? agent.failureReasons.join(" ") : "";
        throw refusalError({ cloud, action: `prepare ${name}`, status: 0, code: state, message: reasons });
      }
      return undefined;
    });
  await status(["NOT_PREPARED", "PREPARED"]);
  await api.call({
    service: "agents",
    method: "POST",
    path: agentPath(id),
    action: `prepare ${name}`,
    signal,
  });
  await status(["PREPARED"]);
}

/** Prepares the draft unless it is prepared: an earlier reconcile may have broken off before it. */
export async function prepareIfNeeded(work: AwsWork, id: string): Promise<void> {
  const agent = await getAgent(work.api, id, work.signal);
  if (agent !== undefined && agent.agentStatus !== "PREPARED") await prepare(work, id);
}
