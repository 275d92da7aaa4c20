import { Button } from "@mantine/core";
import type { NoticeDelivery } from "../../../contracts/platform/notices.ts";
import { PageHeader } from "../../parts/layout/page-header.tsx";
import { EmptyState } from "../../parts/states/empty-state.tsx";
import { CursorTable } from "../../parts/tables/cursor-table.tsx";
import type { Column } from "../../parts/tables/data-table.tsx";
import { formatInstant } from "../../parts/text/format.ts";
import { StatusBadge } from "../../parts/text/status-badge.tsx";
import { noticeTexts as texts } from "../../texts/platform/notices.ts";
import type { HookCalls } from "./webhooks-view.tsx";

interface DeliveryLogProps {
  id: string;
  url: string;
  queryKey: readonly string[];
  calls: HookCalls;
  ofTenants: boolean;
  back: () => void;
}

/** Notices to one webhook, newest first, and what became of them. */
export function DeliveryLog({ id, url, queryKey, calls, ofTenants, back }: DeliveryLogProps) {
  return (
    <>
      <PageHeader title={texts.log} lead={texts.logOf(url)}>
        <Button variant="default" onClick={back}>
          {texts.back}
        </Button>
      </PageHeader>
      <CursorTable
        label={texts.log}
        columns={columnsOf(ofTenants)}
        queryKey={[...queryKey, id]}
        read={(page) => calls.deliveries(id, page)}
        rowsOf={({ deliveries }) => deliveries}
        keyOf={(delivery) => delivery.id}
        empty={<EmptyState text={texts.logNone} />}
      />
    </>
  );
}

const tones = { pending: "warn", sending: "accent", sent: "good", failed: "bad" } as const;

const columnsOf = (ofTenants: boolean): readonly Column<NoticeDelivery>[] => [
  { id: "at", header: texts.at, width: "170px", cell: ({ created_at }) => formatInstant(created_at) },
  { id: "text", header: texts.text, width: "minmax(160px, 2fr)", cell: ({ notice }) => notice.text },
  ...(ofTenants
    ? [
        {
          id: "tenant",
          header: texts.tenant,
          width: "minmax(90px, 1fr)",
          from: "md" as const,
          cell: ({ notice }: NoticeDelivery) => notice.tenant_name,
        },
      ]
    : []),
  {
    id: "status",
    header: texts.status,
    width: "minmax(120px, 1fr)",
    cell: ({ status, attempts, last_error }) => (
      <>
        <StatusBadge tone={tones[status]}>{texts.statuses[status]}</StatusBadge>{" "}
        {attempts > 0 && (
          <span className="ar-soft">
            {texts.attempts(attempts)}
            {last_error === null ? "" : `, ${last_error}`}
          </span>
        )}
      </>
    ),
  },
  {
    id: "retry",
    header: texts.retry,
    width: "170px",
    from: "lg",
    cell: ({ next_retry_at }) => (next_retry_at === null ? "" : formatInstant(next_retry_at)),
  },
];
