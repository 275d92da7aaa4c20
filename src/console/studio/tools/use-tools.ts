import { useQuery } from "@tanstack/react-query";
import { useDaemon } from "../use-daemon.ts";
import { type KnownTool, mergeTools } from "./merge-tools.ts";

/** All tools of this daemon with their schemas. */
export function useTools() {
  const daemon = useDaemon();
  return useQuery({
    queryKey: ["daemon", "tools"],
    async queryFn() {
      const [{ tools }, builtins] = await Promise.all([
        daemon.listTools({ parameters: true }),
        daemon.listBuiltinTools(),
      ]);
      return mergeTools(tools, builtins.tools);
    },
  });
}

/** Addresses of the tool pages. */
export const toolPaths = {
  list: "/studio/tools",
  of: ({ name, type, isBuiltin }: Pick<KnownTool, "name" | "type" | "isBuiltin">) =>
    `/studio/tools/${encodeURIComponent(name)}${isBuiltin ? "" : `?type=${encodeURIComponent(type)}`}`,
};
