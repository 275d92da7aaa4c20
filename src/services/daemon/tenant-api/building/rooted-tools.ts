import { join, normalize } from "node:path";
import type { BoundTool } from "../../../../engine/tools/bound-tool.ts";
import type { ToolResult } from "../../../../engine/tools/tool.ts";
import { AppError } from "../../../../kit/app-error.ts";

const fileTools: ReadonlySet<string> = new Set(["read_file", "write_file"]);

/** Makes a tenant's folder the root of the file system for its file tools: `/notes.txt` is a file directly in it. */
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
  // `..` is resolved against the tenant's root and can't lead above it. The tool itself refuses links that lead out.
  const inside = (path: unknown) => join(root, normalize(`/${String(path)}`));
  const withoutRoot = (text: string) => text.replaceAll(root, "") || "/";
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
          if (!result.success) return { success: false, error: withoutRoot(result.error) };
          return {
            success: true,
            data: { ...(result.data as object), path: withoutRoot(inside(input.path)) },
          };
        } catch (thrown) {
          if (thrown instanceof AppError) return { success: false, error: withoutRoot(thrown.message) };
          throw thrown;
        }
      },
    },
  };
}
