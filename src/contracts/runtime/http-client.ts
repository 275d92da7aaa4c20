import { AppError, type Problem } from "../../kit/app-error.ts";
import { callService, type ServiceAddress, streamService } from "../service-call.ts";
import type { RegisteredAgent, RuntimeAgents } from "./agents.ts";
import type { RuntimeCatalog } from "./catalog.ts";
import type { RuntimeClient, RuntimeFrame } from "./client.ts";

/** Creates a client of the runtime over `fetch`, for an app in this process or a daemon elsewhere. */
export function runtimeClient(address: ServiceAddress): RuntimeClient {
  const call = async (method: string, path: string, body?: unknown): Promise<Response> => {
    try {
      return await callService(address, method, path, { body });
    } catch (thrown) {
      throw asUnreachable(thrown);
    }
  };
  const stream = async function* (path: string, body: unknown): AsyncGenerator<RuntimeFrame, void> {
    try {
      yield* streamService<RuntimeFrame>(address, "POST", path, { body });
    } catch (thrown) {
      throw asUnreachable(thrown);
    }
  };
  const agentPath = (name: string) => `/v1/internal/agents/${encodeURIComponent(name)}`;
  return {
    register: async (name, agent) =>
      (await (await call("PUT", agentPath(name), agent)).json()) as RegisteredAgent,
    async check(tenantId, spec) {
      const answer = await call("POST", "/v1/internal/check", { tenant_id: tenantId, spec });
      return ((await answer.json()) as { problems: Problem[] }).problems;
    },
    async deregister(name, agentId) {
      const query = agentId === undefined ? "" : `?agent_id=${encodeURIComponent(agentId)}`;
      await call("DELETE", `${agentPath(name)}${query}`);
    },
    list: async () => (await (await call("GET", "/v1/internal/agents")).json()) as RuntimeAgents,
    run: (name, run) => stream(`${agentPath(name)}/run`, run),
    decide: (id, decision) => stream(`/v1/internal/approvals/${encodeURIComponent(id)}/decide`, decision),
    cancel: async (runId) =>
      void (await call("POST", `/v1/internal/runs/${encodeURIComponent(runId)}/cancel`)),
    catalog: async () => (await (await call("GET", "/v1/internal/catalog")).json()) as RuntimeCatalog,
  };
}

/** Converts errors that are not the runtime's own answers to `runtime_unreachable`. */
function asUnreachable(thrown: unknown): unknown {
  // If the runtime refuses the token, the caller of the run can't fix it.
  const isAnswer = thrown instanceof AppError && thrown.code !== "internal" && thrown.kind !== "unauthorized";
  if (isAnswer) return thrown;
  return new AppError("upstream_failed", "runtime_unreachable", "The runtime could not be reached.", {
    cause: thrown,
  });
}
