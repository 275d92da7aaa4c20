import { Button } from "@mantine/core";
import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "wouter";
import type { TraceListQuery } from "../../../contracts/daemon/runs/traces.ts";
import { useDaemon } from "../../api/use-server.tsx";
import { DataTable } from "../../parts/data-table.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { FailureView } from "../../parts/failure-view.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { useUrlValues } from "../../parts/use-url-values.ts";
import { traceTexts as texts } from "../../texts/studio-runs.ts";
import { sinceOf } from "./since-of.ts";
import { traceColumns } from "./trace-columns.tsx";
import { TraceFilters, type TraceFilterValues } from "./trace-filters.tsx";

const pageSize = 100;

export default function TracesPage() {
  const daemon = useDaemon();
  const queries = useQueryClient();
  const [read, write] = useUrlValues();
  const values: TraceFilterValues = {
    agent: read("agent"),
    status: read("status"),
    session: read("session"),
    since: read("since"),
  };
  const queryKey = ["daemon", "traces", "list", values];
  const query = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam }) =>
      daemon.listTraces({ ...filterOf(values), ...pageParam, limit: pageSize, spans: false }),
    initialPageParam: {} as Pick<TraceListQuery, "cursor">,
    getNextPageParam: ({ next_cursor: cursor }) => (cursor === undefined ? undefined : { cursor }),
    // Otherwise every loaded page would be fetched again.
    refetchOnWindowFocus: false,
  });
  const isFiltered = Object.values(values).some((value) => value !== "");
  return (
    <>
      <PageHead title={texts.title} lead={texts.lead}>
        <Button
          variant="default"
          loading={query.isRefetching}
          onClick={() => void queries.resetQueries({ queryKey })}
        >
          {texts.refresh}
        </Button>
      </PageHead>
      <TraceFilters values={values} change={write} />
      <Loaded query={query} rows={10}>
        {({ pages }) => (
          <DataTable
            label={texts.title}
            columns={traceColumns}
            rows={pages.flatMap(({ traces }) => traces)}
            keyOf={({ trace_id }) => trace_id}
            hasMore={query.hasNextPage}
            onEnd={() => {
              // A fetch under way answers for this end of the list too: it is not begun again.
              if (!query.isFetchNextPageError) void query.fetchNextPage({ cancelRefetch: false });
            }}
            empty={<NoTraces isFiltered={isFiltered} clear={() => write(cleared)} />}
          />
        )}
      </Loaded>
      {query.isFetchNextPageError && (
        <FailureView thrown={query.error} retry={() => void query.fetchNextPage()} />
      )}
    </>
  );
}

const cleared: TraceFilterValues = { agent: "", status: "", session: "", since: "" };

function NoTraces({ isFiltered, clear }: { isFiltered: boolean; clear: () => void }) {
  return isFiltered ? (
    <EmptyState text={texts.noneLike}>
      <Button variant="default" onClick={clear}>
        {texts.clearFilters}
      </Button>
    </EmptyState>
  ) : (
    <EmptyState text={texts.none}>
      <Button component={Link} href="/studio/playground">
        {texts.toPlayground}
      </Button>
    </EmptyState>
  );
}

function filterOf({ agent, status, session, since }: TraceFilterValues): TraceListQuery {
  const from = sinceOf(since, Date.now());
  return {
    ...(agent === "" ? {} : { agent }),
    ...(status === "OK" || status === "ERROR" ? { status } : {}),
    ...(session === "" ? {} : { session_id: session }),
    ...(from === undefined ? {} : { since: from }),
  };
}
