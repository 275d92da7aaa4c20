import { Button } from "@mantine/core";
import { useState } from "react";
import type { AuditRecord } from "../../../../contracts/platform/admin.ts";
import { Dialog } from "../../../parts/dialogs/dialog.tsx";
import { PageHeader } from "../../../parts/layout/page-header.tsx";
import { EmptyState } from "../../../parts/states/empty-state.tsx";
import { CursorTable } from "../../../parts/tables/cursor-table.tsx";
import type { Column } from "../../../parts/tables/data-table.tsx";
import { Instant } from "../../../parts/text/instant.tsx";
import { JsonView } from "../../../parts/text/json-view.tsx";
import { auditTexts as texts } from "../../../texts/platform/billing.ts";
import { usePlatform } from "../../use-platform.ts";
import { TenantLink } from "../tenant-link.tsx";

export default function AuditPage() {
  const platform = usePlatform();
  const [shown, show] = useState<AuditRecord>();
  return (
    <>
      <PageHeader title={texts.title} lead={texts.lead} />
      <CursorTable
        label={texts.title}
        columns={columnsWith(show)}
        queryKey={["platform", "audit"]}
        read={platform.listAudit}
        rowsOf={({ entries }) => entries}
        keyOf={({ id }) => id}
        empty={<EmptyState text={texts.none} />}
      />
      <Dialog opened={shown !== undefined} onClose={() => show(undefined)} title={shown?.action} size="lg">
        <JsonView value={shown} label={texts.detail} />
      </Dialog>
    </>
  );
}

const columnsWith = (show: (entry: AuditRecord) => void): readonly Column<AuditRecord>[] => [
  {
    id: "action",
    header: texts.action,
    width: "minmax(120px, 1.4fr)",
    cell: (entry) => (
      <Button variant="transparent" size="compact-sm" px={0} onClick={() => show(entry)} title={texts.show}>
        {entry.action}
      </Button>
    ),
  },
  { id: "time", header: texts.time, width: "80px", cell: ({ at }) => <Instant iso={at} /> },
  {
    id: "actor",
    header: texts.actor,
    width: "minmax(80px, 1.2fr)",
    cell: ({ actor }) => <span className="ar-mono">{actor}</span>,
  },
  {
    id: "tenant",
    header: texts.tenant,
    width: "minmax(100px, 1fr)",
    from: "md",
    cell: ({ tenant_id, tenant_name }) =>
      tenant_id === null ? "–" : <TenantLink id={tenant_id} name={tenant_name ?? tenant_id} />,
  },
  {
    id: "subject",
    header: texts.subject,
    width: "minmax(100px, 1fr)",
    from: "lg",
    cell: ({ subject }) => <span className="ar-mono">{subject ?? "–"}</span>,
  },
];
