import type { ToolContext } from "../../src/engine/tools/tool.ts";
import { silentLogger } from "../../src/kit/log.ts";
import { FakeClock } from "./fake-clock.ts";

/** The context of a tool in an empty run. */
export function toolContext(fields: Partial<ToolContext> = {}): ToolContext {
  return {
    tenant: "t",
    agent: "a",
    sessionId: "s",
    signal: new AbortController().signal,
    clock: new FakeClock(),
    log: silentLogger,
    runAgent: async ({ agent }) => ({ success: false, error: `no agent ${agent} here` }),
    propose: async () => undefined,
    ...fields,
  };
}
