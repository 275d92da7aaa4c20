import { Anchor, Button, Group, Select, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import type { CloudAuditEntry } from "../../contracts/cloud/audit.ts";
import { csvText } from "../../contracts/csv-text.ts";
import { saveFile } from "../api/save-file.ts";
import { auditTexts as texts } from "../texts/audit.ts";
import { useUrlState } from "./address/use-url-state.ts";
import { Dialog } from "./dialogs/dialog.tsx";
import { PageHeader } from "./layout/page-header.tsx";
import { notify } from "./notices.tsx";
import { EmptyState } from "./states/empty-state.tsx";
import { CursorTable } from "./tables/cursor-table.tsx";
import type { Column } from "./tables/data-table.tsx";
import { Instant } from "./text/instant.tsx";
import { JsonView } from "./text/json-view.tsx";

/** The most entries of one file. */
const exportedMax = 10_000;

interface AuditViewProps<Entry extends CloudAuditEntry> {
  lead: string;
  queryKey: readonly unknown[];
  /** Labels of the actions that the log may have. */
  actions: Readonly<Record<string, string>>;
  read: (query: Record<string, string | number>) => Promise<{ entries: Entry[]; next_cursor?: string }>;
  /** Further filters of the page, and their fields. */
  filters?: Readonly<Record<string, string>>;
  fields?: ReactNode;
  /** Column of the owner, for a log of several, and its text in the file. */
  owner?: { column: Column<Entry>; name: string; textOf: (entry: Entry) => string };
}

/** An audit log with filters, details of an entry, and a file of all that match. */
export function AuditView<Entry extends CloudAuditEntry>({
  lead,
  queryKey,
  actions,
  read,
  filters: further = {},
  fields,
  owner,
}: AuditViewProps<Entry>) {
  const [shown, show] = useState<Entry>();
  const [action, setAction] = useUrlState("action");
  const [since, setSince] = useUrlState("since");
  const [until, setUntil] = useUrlState("until");
  const filters = {
    ...(action === "" ? {} : { action }),
    ...further,
    ...(isDay(since) ? { since: startOf(since) } : {}),
    ...(isDay(until) ? { until: startOf(until, 1) } : {}),
  };
  const isFiltered = Object.keys(filters).length > 0;
  const actionText = (name: string): string => actions[name] ?? name;
  const download = useMutation({
    mutationFn: async () => {
      const entries: Entry[] = [];
      let cursor: string | undefined;
      do {
        const page = await read({ ...filters, limit: 200, ...(cursor === undefined ? {} : { cursor }) });
        entries.push(...page.entries);
        cursor = page.next_cursor;
      } while (cursor !== undefined && entries.length < exportedMax);
      const rows = entries.map((entry) => [
        entry.at,
        entry.action,
        entry.actor_name ?? entry.actor,
        ...(owner === undefined ? [] : [owner.textOf(entry)]),
        entry.subject_name ?? entry.subject ?? "",
        JSON.stringify(entry.detail),
      ]);
      const owners = owner === undefined ? [] : [owner.name];
      const header = ["at", "action", "actor", ...owners, "subject", "detail"];
      saveFile("audit.csv", "text/csv", csvText(header, rows));
    },
    onError: () => notify(texts.exportFailed),
  });
  const columns: readonly Column<Entry>[] = [
    {
      id: "action",
      header: texts.action,
      width: "minmax(170px, 1.4fr)",
      cell: (entry) => (
        <Anchor
          component="button"
          type="button"
          size="sm"
          truncate="end"
          display="block"
          maw="100%"
          onClick={() => show(entry)}
          title={texts.show}
        >
          {actionText(entry.action)}
        </Anchor>
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
    ...(owner === undefined ? [] : [owner.column]),
    {
      id: "subject",
      header: texts.subject,
      width: "minmax(100px, 1fr)",
      from: "lg",
      cell: ({ subject, subject_name }) =>
        subject_name ??
        (subject === null || isUuid(subject) ? "–" : <span className="ar-mono">{subject}</span>),
    },
  ];
  return (
    <>
      <PageHeader title={texts.title} lead={lead}>
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
          data={Object.entries(actions).map(([value, label]) => ({ value, label }))}
          value={action === "" ? null : action}
          onChange={(value) => setAction(value ?? "")}
        />
        {fields}
        <DayInput label={texts.since} value={since} choose={setSince} />
        <DayInput label={texts.until} value={until} choose={setUntil} />
      </Group>
      <CursorTable
        label={texts.title}
        columns={columns}
        queryKey={[...queryKey, filters]}
        read={(page) => read({ ...filters, ...page })}
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

/** An id says nothing to a reader; the details have it. */
const isUuid = (text: string): boolean => /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text);

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
