import { Button, SegmentedControl, TextInput } from "@mantine/core";
import { keepPreviousData, useMutation, useQuery } from "@tanstack/react-query";
import { saveFile } from "../../api/save-file.ts";
import { useUrlFields } from "../../parts/address/use-url-state.ts";
import { Icon } from "../../parts/icon.tsx";
import { PageHeader } from "../../parts/layout/page-header.tsx";
import { FailureView } from "../../parts/states/failure-view.tsx";
import { Loaded } from "../../parts/states/loaded.tsx";
import { ownTimeZone } from "../../parts/text/own-time-zone.ts";
import { reportTexts as texts } from "../../texts/gateway/reports.ts";
import { GatewayFilters, useGatewayFilter } from "../gateway-filters.tsx";
import { useGateway } from "../use-gateway.ts";
import { lastDays, reportRanges } from "./report-days.ts";
import { ReportView } from "./report-view.tsx";

/** Figures of the desk: times, volume and satisfaction, by day, person and agent. */
export default function ReportsPage() {
  const gateway = useGateway();
  const filter = useGatewayFilter();
  const [{ days: chosen, from, to }, set] = useUrlFields(["days", "from", "to"]);
  const range = reportRanges.find((days) => String(days) === chosen) ?? 7;
  const isOwn = chosen === own;
  const days = isOwn && from !== "" && to !== "" ? { from, to } : lastDays(range, new Date());
  const wanted = { ...filter, ...days, ...ownTimeZone() };
  const query = useQuery({
    queryKey: ["gateway", "reports", wanted],
    queryFn: () => gateway.report(wanted),
    placeholderData: keepPreviousData,
  });
  const csv = useMutation({
    mutationFn: () => gateway.reportCsv(wanted),
    onSuccess: (text) => saveFile(`desk-${days.from}-${days.to}.csv`, "text/csv", text),
  });
  return (
    <>
      <PageHeader title={texts.title} lead={texts.lead}>
        <Button
          size="xs"
          variant="default"
          leftSection={<Icon name="down" />}
          loading={csv.isPending}
          onClick={() => csv.mutate()}
        >
          {texts.csv}
        </Button>
      </PageHeader>
      <GatewayFilters>
        <SegmentedControl
          size="xs"
          className="ar-gw-views"
          aria-label={texts.range}
          value={isOwn ? own : String(range)}
          data={[
            ...reportRanges.map((count) => ({ value: String(count), label: texts.days(count) })),
            { value: own, label: texts.own },
          ]}
          onChange={(value) =>
            set(
              value === own ? { days: own, ...days } : { days: value === "7" ? "" : value, from: "", to: "" },
            )
          }
        />
        {isOwn && (
          <>
            <DayField
              label={texts.from}
              value={days.from}
              change={(day) => set({ from: day, to: days.to })}
            />
            <DayField label={texts.to} value={days.to} change={(day) => set({ from: days.from, to: day })} />
          </>
        )}
      </GatewayFilters>
      {csv.isError && <FailureView thrown={csv.error} />}
      <Loaded query={query}>{(report) => <ReportView report={report} />}</Loaded>
    </>
  );
}

const own = "own";

function DayField({ label, value, change }: { label: string; value: string; change: (day: string) => void }) {
  return (
    <TextInput
      type="date"
      aria-label={label}
      value={value}
      onChange={({ currentTarget }) => {
        if (currentTarget.value !== "") change(currentTarget.value);
      }}
    />
  );
}
