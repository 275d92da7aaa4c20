import { Button, SegmentedControl } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "wouter";
import type { Approval, ApprovalStatus } from "../../../contracts/daemon/runs/approvals.ts";
import { useUrlValues } from "../../parts/address/use-url-state.ts";
import { PageHeader } from "../../parts/layout/page-header.tsx";
import { EmptyState } from "../../parts/states/empty-state.tsx";
import { Loaded } from "../../parts/states/loaded.tsx";
import { approvalTexts as texts, traceTexts } from "../../texts/studio/runs.ts";
import { useConversation } from "../playground/use-conversation.ts";
import { useDaemon } from "../use-daemon.ts";
import { ApprovalView } from "./approval-view.tsx";
import { sortApprovals } from "./sort-approvals.ts";

const statuses: readonly ApprovalStatus[] = ["pending", "approved", "rejected", "expired", "failed"];

/** The daemon's limit for this list. */
const listedMax = 200;

export default function ApprovalsPage() {
  const daemon = useDaemon();
  const [read, write] = useUrlValues();
  const [decidedHere, setDecidedHere] = useState<readonly Approval[]>([]);
  const { conversation, rounds } = useConversation();
  const status = statuses.find((name) => name === read("status"));
  const query = useQuery({
    queryKey: ["daemon", "approvals", "list", status ?? "all"],
    queryFn: () => daemon.listApprovals({ limit: listedMax, ...(status === undefined ? {} : { status }) }),
  });
  const opened = read("id");
  return (
    <>
      <PageHeader title={texts.title} lead={texts.lead}>
        <Button variant="default" loading={query.isRefetching} onClick={() => void query.refetch()}>
          {texts.refresh}
        </Button>
      </PageHeader>
      <div className="ar-scroll ar-approval-filter">
        <SegmentedControl
          size="xs"
          aria-label={texts.status}
          value={status ?? ""}
          data={[
            { value: "", label: texts.all },
            ...statuses.map((value) => ({ value, label: texts.statuses[value] })),
          ]}
          onChange={(value) => write({ status: value, id: "" })}
        />
      </div>
      <Loaded query={query}>
        {({ approvals }) => {
          const shown = sortApprovals(approvals, decidedHere);
          return shown.length === 0 ? (
            <NoApprovals status={status} />
          ) : (
            <ul className="ar-approvals">
              {shown.map((approval) => (
                <li key={approval.id}>
                  <ApprovalView
                    approval={approval}
                    run={rounds.find(({ key }) => key === approval.id)?.runs[0]}
                    isOpen={opened === approval.id}
                    toggle={() => write({ id: opened === approval.id ? "" : approval.id })}
                    show={(id) => write({ status: "", id })}
                    conversation={conversation}
                    decided={() =>
                      setDecidedHere((now) => [...now.filter(({ id }) => id !== approval.id), approval])
                    }
                  />
                </li>
              ))}
            </ul>
          );
        }}
      </Loaded>
    </>
  );
}

function NoApprovals({ status }: { status: ApprovalStatus | undefined }) {
  const isWaiting = status === undefined || status === "pending";
  return (
    <EmptyState text={isWaiting ? texts.none : texts.noneOf(texts.statuses[status])}>
      <Button variant="default" component={Link} href="/studio/playground">
        {traceTexts.toPlayground}
      </Button>
    </EmptyState>
  );
}
