import { Button } from "@mantine/core";
import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "wouter";
import type { ListedTrace } from "../../../contracts/daemon/runs/traces.ts";
import { useUrlValues } from "../../parts/address/use-url-state.ts";
import { PageHeader } from "../../parts/layout/page-header.tsx";
import { EmptyState } from "../../parts/states/empty-state.tsx";
import { Loaded } from "../../parts/states/loaded.tsx";
import { DataTable, type DataTableProps } from "../../parts/tables/data-table.tsx";
import { cursorPages } from "../../parts/tables/list-pages.ts";
import { NextPageFailure, NoneSoFar, paging } from "../../parts/tables/next-page.tsx";
import { traceTexts as texts } from "../../texts/studio/runs.ts";
import { compareTexts, traceListTexts, viewTexts } from "../../texts/studio/trace-list.ts";
import { useDaemon } from "../use-daemon.ts";
import { chooseColumn, traceColumns } from "./trace-columns.tsx";
import { TraceExport } from "./trace-export.tsx";
import { TraceFilters } from "./trace-filters.tsx";
import { filterNames, type TraceFilterValues, traceQueryOf } from "./trace-query.ts";
import { ViewsDialog } from "./views/views-dialog.tsx";

const pageSize = 100;

export default function TracesPage() {
  const daemon = useDaemon();
  const queries = useQueryClient();
  const [read, write] = useUrlValues();
  const values = Object.fromEntries(
    [...filterNames, "sort"].map((name) => [name, read(name)]),
  ) as TraceFilterValues;
  const queryKey = ["daemon", "traces", "list", values];
  const query = useInfiniteQuery({
    ...cursorPages(
      queryKey,
      (page) => daemon.listTraces({ ...traceQueryOf(values, Date.now()), ...page, spans: false }),
      pageSize,
    ),
    // Otherwise every loaded page would be fetched again.
    refetchOnWindowFocus: false,
  });
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const [isViewing, setViewing] = useState(false);
  const hidden = read("hide").split(",");
  const columns = [
    chooseColumn(chosen, setChosen),
    ...traceColumns(values.tenant).filter(({ id }) => id === "agent" || !hidden.includes(id)),
  ];
  const isFiltered = filterNames.some((name) => values[name] !== "");
  return (
    <>
      <PageHeader title={texts.title} lead={texts.lead}>
        <CompareButton chosen={chosen} tenant={values.tenant} />
        <Button variant="default" onClick={() => setViewing(true)}>
          {viewTexts.open}
        </Button>
        <TraceExport filter={() => traceQueryOf(values, Date.now())} />
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
          <TraceTable
            columns={columns}
            rows={pages.flatMap(({ traces }) => traces)}
            {...paging(query)}
            empty={
              query.hasNextPage ? (
                <NoneSoFar query={query} />
              ) : (
                <NoTraces
                  text={
                    values.search === ""
                      ? isFiltered
                        ? texts.noneLike
                        : undefined
                      : traceListTexts.noneFound
                  }
                  clear={() => write(cleared)}
                />
              )
            }
          />
        )}
      </Loaded>
      {isViewing && (
        <ViewsDialog
          hidden={hidden}
          hide={(ids) => write({ hide: ids.join(",") })}
          close={() => setViewing(false)}
        />
      )}
      <NextPageFailure query={query} />
    </>
  );
}

/** The runs; if none of them has its texts, with the way to have them. */
function TraceTable(props: Omit<DataTableProps<ListedTrace>, "label" | "keyOf">) {
  const { rows } = props;
  const isTextless = rows.every(
    ({ summary }) => summary.question === undefined && summary.answer === undefined,
  );
  return (
    <>
      <DataTable label={texts.title} keyOf={({ trace_id }) => trace_id} {...props} />
      {rows.length > 0 && isTextless && <p className="ar-soft">{traceListTexts.textless}</p>}
    </>
  );
}

/** Opens the comparison of the two chosen runs. */
function CompareButton({ chosen: [a, b], tenant }: { chosen: readonly string[]; tenant: string }) {
  if (a === undefined || b === undefined) {
    return (
      <Button variant="default" disabled title={compareTexts.compareHint}>
        {compareTexts.compare}
      </Button>
    );
  }
  return (
    <Button
      component={Link}
      href={`/studio/traces/compare?${new URLSearchParams({ a, b, ...(tenant === "" ? {} : { tenant }) })}`}
    >
      {compareTexts.compare}
    </Button>
  );
}

const cleared = Object.fromEntries(filterNames.map((name) => [name, ""]));

/** `text`: undefined if there is no filter, so no run at all. */
function NoTraces({ text, clear }: { text: string | undefined; clear: () => void }) {
  return text !== undefined ? (
    <EmptyState text={text}>
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
