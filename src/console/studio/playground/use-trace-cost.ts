import { useQuery } from "@tanstack/react-query";
import { type SpanCost, spanCost } from "../traces/span-totals.ts";
import { useDaemon } from "../use-daemon.ts";

/** The cost of a finished run; undefined until its trace is read. */
export function useTraceCost(traceId: string | undefined): SpanCost | undefined {
  const daemon = useDaemon();
  const { data } = useQuery({
    queryKey: ["daemon", "traces", "one", traceId],
    queryFn: () => daemon.getTrace(traceId ?? ""),
    enabled: traceId !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return data === undefined ? undefined : spanCost(data.spans);
}
