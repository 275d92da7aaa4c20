import { createSchemaAllowance } from "../../src/engine/structured/schema-allowance.ts";
import { bindBuiltin } from "../../src/engine/tools/bind-builtin.ts";
import { executeTool } from "../../src/engine/tools/execute-tool.ts";
import type { FileReach } from "../../src/engine/tools/files/file-reach.ts";
import type { ToolResult } from "../../src/engine/tools/tool.ts";
import { createMemoryCache } from "../../src/engine/tools/tool-cache.ts";
import type { Problem } from "../../src/kit/app-error.ts";
import { systemClock } from "../../src/kit/clock.ts";
import { toolContext } from "./tool-context.ts";
import { toolPorts } from "./tool-ports.ts";

/** `read_file` and `write_file` with the same `allowed_paths`, or the problems of those. */
export interface FileTools {
  problems: Problem[];
  read(input: Record<string, unknown>): Promise<ToolResult>;
  write(input: Record<string, unknown>): Promise<ToolResult>;
}

export function openFileTools(allowedPaths: readonly unknown[], reach: Partial<FileReach> = {}): FileTools {
  const templates = {
    compile: () => ({ names: new Set<string>(), render: () => "" }),
    renderUntrusted: async () => "",
    close() {},
  };
  const files = { workspace: "/nowhere", offLimits: [], ...reach };
  const ports = toolPorts({ templates, cache: createMemoryCache(systemClock), clock: systemClock, files });
  const bind = (name: string) =>
    bindBuiltin(
      {
        name,
        type: "builtin",
        permissions: [],
        timeout_seconds: 30,
        requires_approval: false,
        mode: "execute",
        config: { allowed_paths: allowedPaths },
      },
      { path: "tool", ports, templates: {}, schemas: createSchemaAllowance() },
    );
  const [reader, writer] = [bind("read_file"), bind("write_file")];
  const call = (bound: ReturnType<typeof bind>) => async (input: Record<string, unknown>) => {
    if (!("tool" in bound)) throw new Error("the tool was refused");
    return executeTool(bound, input, toolContext({ clock: systemClock }));
  };
  return { problems: "problems" in reader ? reader.problems : [], read: call(reader), write: call(writer) };
}
