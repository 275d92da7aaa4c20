import { Button, SegmentedControl } from "@mantine/core";
import { EmptyState } from "../../../parts/empty-state.tsx";
import { Loaded } from "../../../parts/loaded.tsx";
import { PageHead } from "../../../parts/page-head.tsx";
import { useUrlState } from "../../../parts/use-url-state.ts";
import { approvalTexts as texts } from "../../../texts/platform-tenant-runs.ts";
import { type TenantPageProps, tenantPage } from "../tenant-page.tsx";
import { ApprovalCard } from "./approval-card.tsx";
import { useApprovals } from "./use-approvals.ts";

const statuses = ["pending", "approved", "rejected", "expired"] as const;

export default tenantPage(ApprovalsPage);

function ApprovalsPage({ tenant }: TenantPageProps) {
  const [chosen, choose] = useUrlState("status");
  const status = statuses.find((one) => one === chosen) ?? "pending";
  const query = useApprovals(tenant.id, status);
  return (
    <>
      <PageHead title={texts.title} lead={texts.lead(tenant.displayName)}>
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
      </PageHead>
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
