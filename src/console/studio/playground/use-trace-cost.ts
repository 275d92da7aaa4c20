import { useQuery } from "@tanstack/react-query";
import { useDaemon } from "../../api/use-server.tsx";
import { costOfSpans } from "../traces/cost-of-spans.ts";

/** The cost of a finished run; undefined until it is known, and if none of its calls had a price. */
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
