import type { KnownTool } from "./merge-tools.ts";

/** Addresses of the tool pages. */
export const toolPaths = {
  list: "/studio/tools",
  of: ({ name, type, isBuiltin }: Pick<KnownTool, "name" | "type" | "isBuiltin">) =>
    `/studio/tools/${encodeURIComponent(name)}${isBuiltin ? "" : `?type=${encodeURIComponent(type)}`}`,
};
