import { useQuery } from "@tanstack/react-query";
import type { PlatformApproval } from "../../../../contracts/platform/runs/approvals.ts";
import { usePlatform } from "../../../api/use-server.tsx";

const most = 200;

/** Approvals with a status, newest first. */
export function useApprovals(tenantId: string, status: PlatformApproval["status"]) {
  const platform = usePlatform(tenantId);
  return useQuery({
    queryKey: ["platform", tenantId, "approvals", status],
    queryFn: () => platform.listApprovals({ status, limit: most }),
  });
}
