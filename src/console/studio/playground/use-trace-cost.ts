import { useQuery } from "@tanstack/react-query";
import { useDaemon } from "../../api/use-server.tsx";
import { costOfSpans } from "../traces/cost-of-spans.ts";

/** What a run that is over cost; undefined while that is unknown, and when no call of it had a price. */
export function useTraceCost(traceId: string | undefined): number | undefined {
  const daemon = useDaemon();
  const { data } = useQuery({
    queryKey: ["daemon", "traces", "one", traceId],
    queryFn: () => daemon.getTrace(traceId ?? ""),
    enabled: traceId !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return data === undefined ? undefined : costOfSpans(data.spans);
}
