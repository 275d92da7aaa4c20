import { queryString, segment } from "../paths.ts";
import type { Fire, FireList, FireRequest, TriggerList, TriggerSummary } from "./triggers.ts";

type TriggerCall = <T>(method: string, path: string, body?: unknown) => Promise<T>;

/** Methods of the daemon's client for triggers of agents. */
export function triggersClient(call: TriggerCall) {
  const pathOf = (agent: string, name: string) => `/v1/triggers/${segment(agent)}/${segment(name)}`;
  return {
    listTriggers: () => call<TriggerList>("GET", "/v1/triggers"),
    getTrigger: (agent: string, name: string) => call<TriggerSummary>("GET", pathOf(agent, name)),
    pauseTrigger: (agent: string, name: string) =>
      call<TriggerSummary>("POST", `${pathOf(agent, name)}/pause`),
    resumeTrigger: (agent: string, name: string) =>
      call<TriggerSummary>("POST", `${pathOf(agent, name)}/resume`),
    fireTrigger: (agent: string, name: string, request: FireRequest = {}) =>
      call<Fire>("POST", `${pathOf(agent, name)}/fire`, request),
    listFires: (agent: string, name: string, page: { limit?: number; cursor?: string } = {}) =>
      call<FireList>("GET", `${pathOf(agent, name)}/fires${queryString(page)}`),
  };
}
