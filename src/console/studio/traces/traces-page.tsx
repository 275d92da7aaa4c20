import { Button } from "@mantine/core";
import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "wouter";
import type { TraceListQuery } from "../../../contracts/daemon/runs/traces.ts";
import { useUrlValues } from "../../parts/address/use-url-state.ts";
import { PageHeader } from "../../parts/layout/page-header.tsx";
import { EmptyState } from "../../parts/states/empty-state.tsx";
import { FailureView } from "../../parts/states/failure-view.tsx";
import { Loaded } from "../../parts/states/loaded.tsx";
import { DataTable } from "../../parts/tables/data-table.tsx";
import { traceTexts as texts } from "../../texts/studio/runs.ts";
import { useDaemon } from "../use-daemon.ts";
import { rangeStart } from "./time-range.ts";
import { traceColumns } from "./trace-columns.tsx";
import { TraceExport } from "./trace-export.tsx";
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
    feedback: read("feedback"),
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
      <PageHeader title={texts.title} lead={texts.lead}>
        <TraceExport filter={filterOf(values)} />
        <Button
          variant="default"
          loading={query.isRefetching}
          onClick={() => void queries.resetQueries({ queryKey })}
        >
          {texts.refresh}
        </Button>
      </PageHeader>
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
              // A running fetch already loads the next page.
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

const cleared: TraceFilterValues = { agent: "", status: "", session: "", since: "", feedback: "" };

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

function filterOf({ agent, status, session, since, feedback }: TraceFilterValues): TraceListQuery {
  const from = rangeStart(since, Date.now());
  return {
    ...(agent === "" ? {} : { agent }),
    ...(status === "OK" || status === "ERROR" ? { status } : {}),
    ...(session === "" ? {} : { session_id: session }),
    ...(from === undefined ? {} : { since: from }),
    ...(feedback === "up" || feedback === "down" || feedback === "any" ? { feedback } : {}),
  };
}
