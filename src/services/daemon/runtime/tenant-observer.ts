import type { RunObserver } from "../../../engine/telemetry/run-observer.ts";

/** Replaces the names of tenants' agents and of their own tools with `tenant` in metrics, because names could identify tenants. */
export function tenantObserver(observer: RunObserver, isKnownTool: (name: string) => boolean): RunObserver {
  return {
    runStarted: (_agent, sessionId) => observer.runStarted("tenant", sessionId),
    runFinished: (run) => observer.runFinished({ ...run, agent: "tenant" }),
    toolExecuted: (call) =>
      observer.toolExecuted(isKnownTool(call.tool) ? call : { ...call, tool: "tenant" }),
    memoryFailed: (fault) => observer.memoryFailed(fault),
  };
}
