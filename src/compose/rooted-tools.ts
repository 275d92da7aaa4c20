import { join, normalize } from "node:path";
import type { BoundTool } from "../engine/tools/bound-tool.ts";
import type { ToolResult } from "../engine/tools/tool.ts";
import { AppError } from "../kit/app-error.ts";

const fileTools: ReadonlySet<string> = new Set(["read_file", "write_file"]);

/** File tools of a tenant see its folder as the whole file system: `/notes.txt` is a file right in it. */
export function rootedTools(
  tools: ReadonlyMap<string, BoundTool>,
  folder: () => string,
): ReadonlyMap<string, BoundTool> {
  if (![...tools.values()].some(isFileTool)) return tools;
  return new Map(
    [...tools].map(([name, tool]) => [name, isFileTool(tool) ? rootedTool(tool, folder()) : tool]),
  );
}

function isFileTool({ tool }: BoundTool): boolean {
  return tool.type === "builtin" && fileTools.has(tool.name);
}

function rootedTool(bound: BoundTool, root: string): BoundTool {
  const { tool } = bound;
  // `..` is undone against the tenant's root, never above it; what links lead out is refused by the tool itself.
  const inside = (path: unknown) => join(root, normalize(`/${String(path)}`));
  const shown = (text: string) => text.replaceAll(root, "") || "/";
  return {
    ...bound,
    tool: {
      ...tool,
      description: tool.description.replace(
        "The path is absolute and below one of the folders that are allowed.",
        "The path is absolute, in a folder of your own: /notes.txt.",
      ),
      async execute(input, context): Promise<ToolResult> {
        try {
          const result = await tool.execute({ ...input, path: inside(input.path) }, context);
          if (!result.success) return { success: false, error: shown(result.error) };
          return { success: true, data: { ...(result.data as object), path: shown(inside(input.path)) } };
        } catch (thrown) {
          if (thrown instanceof AppError) return { success: false, error: shown(thrown.message) };
          throw thrown;
        }
      },
    },
  };
}
