import { useQuery } from "@tanstack/react-query";
import { spanCost } from "../traces/span-totals.ts";
import { useDaemon } from "../use-daemon.ts";

/** The cost of a finished run; undefined until it is known, and if none of its calls had a price. */
export function useTraceCost(traceId: string | undefined): number | undefined {
  const daemon = useDaemon();
  const { data } = useQuery({
    queryKey: ["daemon", "traces", "one", traceId],
    queryFn: () => daemon.getTrace(traceId ?? ""),
    enabled: traceId !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return data === undefined ? undefined : spanCost(data.spans);
}
