import { Button, Group, SegmentedControl, Select, TextInput } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import type { RunGrouping, RunStats } from "../../../contracts/daemon/runs/run-stats.ts";
import { useUrlFields } from "../../parts/address/use-url-state.ts";
import { PageHeader } from "../../parts/layout/page-header.tsx";
import { EmptyState } from "../../parts/states/empty-state.tsx";
import { Loaded } from "../../parts/states/loaded.tsx";
import { formatInstant } from "../../parts/text/format.ts";
import { ownTimeZone } from "../../parts/text/own-time-zone.ts";
import { SourceSelect, sourceFilterOf } from "../../quality/source-select.tsx";
import { dashboardTexts as texts } from "../../texts/studio/dashboard.ts";
import { useDaemon } from "../use-daemon.ts";
import { dayText, rangeNames, rangeQuery } from "./dashboard-range.ts";
import { RunCharts } from "./run-charts.tsx";
import { RunTables } from "./run-tables.tsx";

const fields = ["range", "from", "to", "by", "source"] as const;

/** Runs, errors, latency, tokens and cost over time, from the daemon's stored runs. */
export default function DashboardPage() {
  const daemon = useDaemon();
  const [values, write] = useUrlFields(fields);
  const range = rangeNames.includes(values.range) ? values.range : "24h";
  const by = isGrouping(values.by) ? values.by : undefined;
  const source = sourceFilterOf(values.source, by === "source" ? "all" : "traffic");
  const asked = { range, from: values.from, to: values.to };
  const isAsked = rangeQuery(asked, new Date()) !== undefined;
  const query = useQuery({
    queryKey: ["daemon", "stats", "runs", asked, by, source],
    queryFn: () =>
      daemon.runStats({
        ...rangeQuery(asked, new Date()),
        ...ownTimeZone(),
        source,
        ...(by === undefined ? {} : { group_by: by }),
      }),
    enabled: isAsked,
    placeholderData: keepPreviousData,
  });
  const choose = (name: string) =>
    write(
      name === "own"
        ? { range: name, from: dayText(new Date()), to: dayText(new Date()) }
        : { range: name === "24h" ? "" : name, from: "", to: "" },
    );
  return (
    <>
      <PageHeader title={texts.title} lead={texts.lead}>
        <Button
          variant="default"
          loading={query.isFetching}
          disabled={!isAsked}
          onClick={() => void query.refetch()}
        >
          {texts.refresh}
        </Button>
      </PageHeader>
      <Group align="end" mb="md" gap="sm">
        <SegmentedControl
          size="xs"
          className="ar-ranges"
          aria-label={texts.range}
          value={range}
          data={rangeNames.map((value) => ({ value, label: texts.ranges[value] ?? value }))}
          onChange={choose}
        />
        {range === "own" && (
          <>
            <DayInput label={texts.from} value={values.from} change={(from) => write({ from })} />
            <DayInput
              label={texts.to}
              value={values.to}
              change={(to) => write({ to })}
              {...(isAsked ? {} : { error: texts.wrongRange })}
            />
          </>
        )}
        <Select
          label={texts.by}
          w={150}
          value={by ?? ""}
          data={Object.entries(texts.groupings).map(([value, label]) => ({ value, label }))}
          onChange={(value) => write({ by: value ?? "" })}
          allowDeselect={false}
        />
        <SourceSelect
          value={values.source}
          usual={by === "source" ? "all" : "traffic"}
          change={(source) => write({ source })}
        />
      </Group>
      {isAsked && (
        <Loaded query={query}>
          {(stats) =>
            stats.total.runs === 0 ? (
              <EmptyState title={texts.none} text={missingNote(stats) ?? texts.noneHint}>
                <Button component={Link} href="/studio/playground">
                  {texts.toPlayground}
                </Button>
              </EmptyState>
            ) : (
              <div className="ar-stack">
                <MissingRuns stats={stats} />
                <RunCharts stats={stats} by={by} source={source} />
                <RunTables stats={stats} by={by} source={source} />
                <p className="ar-soft ar-flat">{texts.retention}</p>
              </div>
            )
          }
        </Loaded>
      )}
    </>
  );
}

/** Says from when the figures are complete, if that is later than the start of the range. */
function missingNote({ since, counted_from }: RunStats): string | undefined {
  return Date.parse(counted_from) > Date.parse(since)
    ? texts.countedFrom(formatInstant(counted_from))
    : undefined;
}

function MissingRuns({ stats }: { stats: RunStats }) {
  const note = missingNote(stats);
  return note === undefined ? null : <p className="ar-flat">{note}</p>;
}

const isGrouping = (name: string): name is RunGrouping =>
  name === "agent" || name === "model" || name === "source" || name === "tenant";

interface DayInputProps {
  label: string;
  value: string;
  change: (day: string) => void;
  error?: string;
}

const DayInput = ({ label, value, change, error }: DayInputProps) => (
  <TextInput
    type="date"
    label={label}
    value={value}
    onChange={(event) => change(event.currentTarget.value)}
    {...(error === undefined ? {} : { error })}
  />
);
