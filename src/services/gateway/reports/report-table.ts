import { type CsvCell, csvText } from "../../../contracts/csv-text.ts";
import type { DeskReport, ReportFigures } from "../../../contracts/gateway/reports.ts";

const header = [
  "group",
  "name",
  "conversations",
  "inbound",
  "outbound",
  "first_responses",
  "first_response_average_s",
  "first_response_median_s",
  "resolutions",
  "resolution_average_s",
  "resolution_median_s",
  "csat_asked",
  "csat_answered",
  "csat_average",
  "transcriptions",
  "transcribed_s",
];

/** Writes a report as CSV. */
export function reportTable({ from, to, total, days, people, agents }: DeskReport): string {
  return csvText(header, [
    ["total", `${from} to ${to}`, ...cellsOf(total)],
    ...days.map(({ date, ...figures }) => ["day", date, ...cellsOf(figures)]),
    ...people.map(({ name, ...figures }) => ["person", name, ...cellsOf(figures)]),
    ...agents.map(({ name, ...figures }) => ["agent", name, ...cellsOf(figures)]),
  ]);
}

const cellsOf = ({
  conversations,
  inbound,
  outbound,
  first_response: first,
  resolution,
  csat,
  transcription,
}: ReportFigures): CsvCell[] => [
  conversations,
  inbound,
  outbound,
  first.count,
  first.average_s,
  first.median_s,
  resolution.count,
  resolution.average_s,
  resolution.median_s,
  csat.asked,
  csat.answered,
  csat.average,
  transcription.count,
  transcription.seconds,
];
