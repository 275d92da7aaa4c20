import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import type { Cassette } from "../../../contracts/daemon/cassettes/cassette-file.ts";
import { entryAttribute } from "../../../contracts/daemon/cassettes/recorded-call.ts";
import type { Trace } from "../../../contracts/daemon/runs/run.ts";
import { useDaemon } from "../../api/use-server.tsx";

/** The recording of a run; null if it no longer exists. Not fetched if the run was not recorded. */
export function useTraceCassette({ trace_id: id, spans }: Trace): UseQueryResult<Cassette | null> {
  const daemon = useDaemon();
  return useQuery({
    queryKey: ["daemon", "cassettes", "of-trace", id],
    queryFn: async () => {
      const { cassettes } = await daemon.listCassettes({ trace_id: id });
      const [found] = cassettes;
      return found === undefined ? null : daemon.getCassette(found.id);
    },
    enabled: spans.some(({ attributes }) => entryAttribute in attributes),
    staleTime: Number.POSITIVE_INFINITY,
  });
}
