import { useQuery } from "@tanstack/react-query";
import { useDaemon } from "../use-daemon.ts";

export const manifestKey = (name: string) => ["daemon", "agents", name, "manifest"];

/** The newest stored manifest of an agent. */
export function useStoredManifest(name: string) {
  const daemon = useDaemon();
  return useQuery({ queryKey: manifestKey(name), queryFn: () => daemon.getManifest(name) });
}
