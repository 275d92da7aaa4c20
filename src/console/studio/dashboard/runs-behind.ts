import type { RunGroup, RunGrouping } from "../../../contracts/daemon/runs/run-stats.ts";
import { dashboardTexts as texts } from "../../texts/studio/dashboard.ts";
import { tracesHref } from "../traces/trace-query.ts";

/** Address of the traces of a group in a period. Traces can't be filtered by the rest, or by having no model: then all runs of the period. */
export function runsBehind(
  { since, until }: { since: string; until: string },
  by: RunGrouping | undefined,
  group: RunGroup | undefined,
  status: "" | "ERROR" = "",
): string {
  const key = group?.key ?? "";
  return tracesHref({ since, until, status, ...(by === undefined || key === "" ? {} : { [by]: key }) });
}

/** Name of a group as it is shown. */
export function groupLabel({ key }: RunGroup): string {
  if (key === undefined) return texts.others;
  return key === "" ? texts.noModel : key;
}
