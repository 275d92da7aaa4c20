import type { RunSource, SourceFilter } from "../../../contracts/daemon/runs/run-sources.ts";
import type { RunGroup, RunGrouping } from "../../../contracts/daemon/runs/run-stats.ts";
import { sourceTexts } from "../../texts/quality.ts";
import { dashboardTexts as texts } from "../../texts/studio/dashboard.ts";
import { ownTenant, tracesHref } from "../traces/trace-query.ts";

/** Address of the traces of a group in a period. Traces can't be filtered by the rest, or by having no model: then all runs of the period. */
export function runsBehind(
  { since, until }: { since: string; until: string },
  { by, source }: { by: RunGrouping | undefined; source: SourceFilter },
  group: RunGroup | undefined,
  status: "" | "ERROR" = "",
): string {
  const key = group?.key ?? "";
  return tracesHref({
    since,
    until,
    status,
    source: source === "all" ? "" : source,
    ...(by === undefined || key === "" ? {} : { [by]: key }),
  });
}

/** Name of a group as it is shown; `names`: of tenants by their id. */
export function groupLabel(
  { key }: RunGroup,
  by: RunGrouping | undefined,
  names: ReadonlyMap<string, string> = new Map(),
): string {
  if (key === undefined) return texts.others;
  if (key === "") return texts.noModel;
  if (by === "source") return sourceTexts.filters[key as RunSource];
  if (by !== "tenant") return key;
  return key === ownTenant ? texts.ownRuns : (names.get(key) ?? texts.unnamed(key.slice(-4)));
}
