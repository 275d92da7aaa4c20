import { useQuery } from "@tanstack/react-query";
import { useDaemon } from "../use-daemon.ts";

const shown = 8;

/** The newest runs, of all agents or of one. */
export function useLatestRuns(agent?: string) {
  const daemon = useDaemon();
  return useQuery({
    queryKey: ["daemon", "traces", "latest", agent],
    queryFn: () =>
      daemon.listTraces({ limit: shown, spans: false, ...(agent === undefined ? {} : { agent }) }),
  });
}
