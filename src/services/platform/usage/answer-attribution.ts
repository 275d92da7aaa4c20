import {
  attributionCsv,
  type CostAttribution,
  type UsageAttribution,
} from "../../../contracts/platform/attribution.ts";
import { csvAnswer } from "../../../http/csv-answer.ts";

/** Answers with a split month in the format asked for. */
export const asAttribution = <Report extends UsageAttribution | CostAttribution>(
  report: Report,
  format: "json" | "csv" | undefined,
): Report =>
  format === "csv" ? csvAnswer(`usage-${report.period}-by-${report.by}`, attributionCsv(report)) : report;
