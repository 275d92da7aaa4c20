import { Button, SegmentedControl } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { PlatformApproval } from "../../../../contracts/platform/runs/approvals.ts";
import { useUrlState } from "../../../parts/address/use-url-state.ts";
import { PageHeader } from "../../../parts/layout/page-header.tsx";
import { EmptyState } from "../../../parts/states/empty-state.tsx";
import { Loaded } from "../../../parts/states/loaded.tsx";
import { approvalTexts as texts } from "../../../texts/platform/tenant-runs.ts";
import { usePlatform } from "../../use-platform.ts";
import { RightNote } from "../rights.tsx";
import { type TenantPageProps, tenantPage } from "../tenant-page.tsx";
import { ApprovalCard } from "./approval-card.tsx";

const statuses = ["pending", "approved", "rejected", "expired"] as const;

export default tenantPage(ApprovalsPage);

function ApprovalsPage({ tenant }: TenantPageProps) {
  const [chosen, choose] = useUrlState("status");
  const status = statuses.find((one) => one === chosen) ?? "pending";
  const query = useApprovals(tenant.id, status);
  return (
    <>
      <PageHeader title={texts.title} lead={texts.lead(tenant.displayName)}>
        <SegmentedControl
          size="xs"
          aria-label={texts.filter}
          value={status}
          data={statuses.map((value) => ({ value, label: texts.status[value] }))}
          onChange={(value) => choose(value === "pending" ? "" : value)}
        />
        <Button size="xs" variant="default" loading={query.isFetching} onClick={() => void query.refetch()}>
          {texts.refresh}
        </Button>
      </PageHeader>
      <RightNote right="approvals" />
      <Loaded query={query} rows={3}>
        {({ approvals }) =>
          approvals.length === 0 ? (
            <EmptyState text={texts.none[status]} />
          ) : (
            <div className="ar-stack">
              {approvals.map((approval) => (
                <ApprovalCard key={approval.id} tenantId={tenant.id} approval={approval} />
              ))}
            </div>
          )
        }
      </Loaded>
    </>
  );
}

const most = 200;

/** Approvals with a status, newest first. */
function useApprovals(tenantId: string, status: PlatformApproval["status"]) {
  const platform = usePlatform(tenantId);
  return useQuery({
    queryKey: ["platform", tenantId, "approvals", status],
    queryFn: () => platform.listApprovals({ status, limit: most }),
  });
}
