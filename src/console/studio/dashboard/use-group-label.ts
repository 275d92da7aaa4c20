import type { RunGroup, RunGrouping, RunStats } from "../../../contracts/daemon/runs/run-stats.ts";
import { useTenantNames } from "../../tenants/use-tenant-names.ts";
import { groupLabel } from "./runs-behind.ts";

/** Returns how groups are named: tenants by their names, which the platform knows. */
export function useGroupLabel(stats: RunStats, by: RunGrouping | undefined): (group: RunGroup) => string {
  const isByTenant = by === "tenant";
  const names = useTenantNames(isByTenant ? (stats.groups ?? []).map(({ key }) => key ?? "") : []);
  return (group) => groupLabel(group, by, names);
}
