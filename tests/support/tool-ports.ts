import type { ToolPorts } from "../../src/engine/tools/builtin/builtin-tool.ts";
import { createMemoryCache } from "../../src/engine/tools/tool-cache.ts";

const unreachable = () => Promise.reject(new Error("nothing of the world is reached here"));

/** Ports of tools in a world without any services, with the given parts. */
export function toolPorts(parts: Pick<ToolPorts, "clock"> & Partial<ToolPorts>): ToolPorts {
  return {
    templates: {
      compile: () => ({ names: new Set<string>(), render: () => "" }),
      renderUntrusted: unreachable,
      close() {},
    },
    cache: createMemoryCache(parts.clock),
    network: { request: unreachable, fetch: unreachable },
    secret: () => undefined,
    conceal() {},
    files: { workspace: "/nowhere", offLimits: [] },
    sql: { run: unreachable, close() {} },
    ...parts,
  };
}
