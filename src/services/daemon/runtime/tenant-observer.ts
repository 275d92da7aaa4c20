import type { RunObserver } from "../../../engine/telemetry/run-observer.ts";

/** Of tenants' agents metrics say that they are tenants', and of their own tools as well: names would tell who they are. */
export function tenantObserver(observer: RunObserver, isKnownTool: (name: string) => boolean): RunObserver {
  return {
    runStarted: (_agent, sessionId) => observer.runStarted("tenant", sessionId),
    runFinished: (run) => observer.runFinished({ ...run, agent: "tenant" }),
    toolExecuted: (call) =>
      observer.toolExecuted(isKnownTool(call.tool) ? call : { ...call, tool: "tenant" }),
    memoryFailed: (fault) => observer.memoryFailed(fault),
  };
}
