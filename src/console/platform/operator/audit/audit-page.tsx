import { Button, Group, Select, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { csvText } from "../../../../contracts/csv-text.ts";
import type { AuditRecord } from "../../../../contracts/platform/admin.ts";
import { saveFile } from "../../../api/save-file.ts";
import { useUrlState } from "../../../parts/address/use-url-state.ts";
import { Dialog } from "../../../parts/dialogs/dialog.tsx";
import { PageHeader } from "../../../parts/layout/page-header.tsx";
import { notify } from "../../../parts/notices.tsx";
import { EmptyState } from "../../../parts/states/empty-state.tsx";
import { CursorTable } from "../../../parts/tables/cursor-table.tsx";
import type { Column } from "../../../parts/tables/data-table.tsx";
import { Instant } from "../../../parts/text/instant.tsx";
import { JsonView } from "../../../parts/text/json-view.tsx";
import { auditActions, auditTexts as texts } from "../../../texts/platform/billing.ts";
import { usePlatform } from "../../use-platform.ts";
import { TenantLink } from "../tenant-link.tsx";
import { TenantSelect } from "../tenant-select.tsx";

/** The most entries of one file. */
const exportedMax = 10_000;

export default function AuditPage() {
  const platform = usePlatform();
  const [shown, show] = useState<AuditRecord>();
  const [action, setAction] = useUrlState("action");
  const [tenant, setTenant] = useUrlState("tenant");
  const [since, setSince] = useUrlState("since");
  const [until, setUntil] = useUrlState("until");
  const filters = {
    ...(action === "" ? {} : { action }),
    ...(tenant === "" ? {} : { tenant_id: tenant }),
    ...(isDay(since) ? { since: startOf(since) } : {}),
    ...(isDay(until) ? { until: startOf(until, 1) } : {}),
  };
  const isFiltered = Object.keys(filters).length > 0;
  const download = useMutation({
    mutationFn: async () => {
      const entries: AuditRecord[] = [];
      let cursor: string | undefined;
      do {
        const page = await platform.listAudit({
          ...filters,
          limit: 200,
          ...(cursor === undefined ? {} : { cursor }),
        });
        entries.push(...page.entries);
        cursor = page.next_cursor;
      } while (cursor !== undefined && entries.length < exportedMax);
      const rows = entries.map((entry) => [
        entry.at,
        entry.action,
        entry.actor_name ?? entry.actor,
        entry.tenant_name ?? entry.tenant_id ?? "",
        entry.subject_name ?? entry.subject ?? "",
        JSON.stringify(entry.detail),
      ]);
      const header = ["at", "action", "actor", "tenant", "subject", "detail"];
      saveFile("audit.csv", "text/csv", csvText(header, rows));
    },
    onError: () => notify(texts.exportFailed),
  });
  return (
    <>
      <PageHeader title={texts.title} lead={texts.lead}>
        <Button variant="default" loading={download.isPending} onClick={() => download.mutate()}>
          {texts.export}
        </Button>
      </PageHeader>
      <Group mb="md" gap="sm">
        <Select
          aria-label={texts.action}
          placeholder={texts.anyAction}
          searchable
          clearable
          clearButtonProps={{ "aria-label": texts.anyAction }}
          data={Object.entries(auditActions).map(([value, label]) => ({ value, label }))}
          value={action === "" ? null : action}
          onChange={(value) => setAction(value ?? "")}
        />
        <TenantSelect value={tenant} choose={setTenant} />
        <DayInput label={texts.since} value={since} choose={setSince} />
        <DayInput label={texts.until} value={until} choose={setUntil} />
      </Group>
      <CursorTable
        label={texts.title}
        columns={columnsWith(show)}
        queryKey={["platform", "audit", filters]}
        read={(page) => platform.listAudit({ ...filters, ...page })}
        rowsOf={({ entries }) => entries}
        keyOf={({ id }) => id}
        empty={<EmptyState text={isFiltered ? texts.noneFound : texts.none} />}
      />
      <Dialog
        opened={shown !== undefined}
        onClose={() => show(undefined)}
        title={shown && actionText(shown.action)}
        size="lg"
      >
        <JsonView value={shown} label={texts.detail} />
      </Dialog>
    </>
  );
}

const isDay = (text: string): boolean => /^2\d{3}-\d{2}-\d{2}$/.test(text);

/** The instant at which the person's day begins, or a day some days later. */
function startOf(day: string, later = 0): string {
  const start = new Date(`${day}T00:00`);
  start.setDate(start.getDate() + later);
  return start.toISOString();
}

function DayInput({ label, value, choose }: { label: string; value: string; choose: (day: string) => void }) {
  return (
    <TextInput
      type="date"
      aria-label={label}
      title={label}
      value={value}
      onChange={(event) => choose(event.currentTarget.value)}
    />
  );
}

const actionText = (action: string): string => auditActions[action] ?? action;

const columnsWith = (show: (entry: AuditRecord) => void): readonly Column<AuditRecord>[] => [
  {
    id: "action",
    header: texts.action,
    width: "minmax(170px, 1.4fr)",
    cell: (entry) => (
      <Button variant="transparent" size="compact-sm" px={0} onClick={() => show(entry)} title={texts.show}>
        {actionText(entry.action)}
      </Button>
    ),
  },
  { id: "time", header: texts.time, width: "80px", cell: ({ at }) => <Instant iso={at} /> },
  {
    id: "actor",
    header: texts.actor,
    width: "minmax(80px, 1.2fr)",
    from: "sm",
    cell: ({ actor, actor_name }) => actor_name ?? <span className="ar-mono">{actor}</span>,
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
    cell: ({ subject, subject_name }) =>
      subject_name ?? (subject === null ? "–" : <span className="ar-mono">{subject}</span>),
  },
];
