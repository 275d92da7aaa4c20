import { Group, Radio } from "@mantine/core";
import type { TenantAgentVersion } from "../../../../contracts/platform/agents.ts";
import { type EvalScore, EvalScores } from "../../../parts/eval-scores.tsx";
import { type PlainColumn, PlainTable } from "../../../parts/tables/plain-table.tsx";
import { RowButton } from "../../../parts/tables/row-button.tsx";
import { Instant } from "../../../parts/text/instant.tsx";
import { StatusBadge } from "../../../parts/text/status-badge.tsx";
import { useSession } from "../../../session/session.tsx";
import { scoreTexts } from "../../../texts/parts.ts";
import { versionTexts as texts } from "../../../texts/platform/tenant.ts";
import { authorName } from "../author-name.ts";

interface VersionTableProps {
  versions: readonly TenantAgentVersion[];
  current: number;
  /** The two versions that are compared. */
  from: number;
  to: number;
  /** Scores of evals by the versions' checksums. */
  scores: ReadonlyMap<string, readonly EvalScore[]>;
  setFrom: (version: number) => void;
  setTo: (version: number) => void;
  /** Absent for people who may not restore one. */
  restore?: (version: number) => void;
}

/** Versions of an agent: selects two to compare and one to restore. */
export function VersionTable(props: VersionTableProps) {
  const { signedIn } = useSession();
  return (
    <PlainTable
      label={texts.title}
      columns={columnsFor(props, signedIn.person?.id)}
      rows={props.versions}
      keyOf={({ number }) => String(number)}
    />
  );
}

const columnsFor = (
  { current, from, to, scores, setFrom, setTo, restore }: VersionTableProps,
  personId: string | undefined,
): PlainColumn<TenantAgentVersion>[] => [
  {
    id: "from",
    header: texts.from,
    className: "ar-narrow",
    cell: ({ number }) => (
      <Radio
        size="xs"
        name="from"
        checked={number === from}
        aria-label={texts.compareFrom(number)}
        onChange={() => setFrom(number)}
      />
    ),
  },
  {
    id: "to",
    header: texts.to,
    className: "ar-narrow",
    cell: ({ number }) => (
      <Radio
        size="xs"
        name="to"
        checked={number === to}
        aria-label={texts.compareTo(number)}
        onChange={() => setTo(number)}
      />
    ),
  },
  {
    id: "version",
    header: texts.version,
    cell: ({ number }) => (
      <Group gap={6} wrap="nowrap">
        {number}
        {number === current && <StatusBadge tone="good">{texts.current}</StatusBadge>}
      </Group>
    ),
  },
  {
    id: "created",
    header: texts.createdAt,
    from: "md",
    cell: ({ created_at }) => <Instant iso={created_at} />,
  },
  {
    id: "author",
    header: texts.author,
    from: "md",
    cell: ({ author }) => <span title={author}>{authorName(author, personId)}</span>,
  },
  {
    id: "note",
    header: texts.note,
    from: "sm",
    className: "ar-break",
    cell: ({ note }) => note ?? "",
  },
  {
    id: "scores",
    header: scoreTexts.head,
    from: "sm",
    cell: ({ checksum }) => <EvalScores scores={scores.get(checksum)} />,
  },
  {
    id: "checksum",
    header: texts.checksum,
    from: "lg",
    className: "ar-mono",
    cell: ({ checksum }) => <span title={checksum}>{checksum.slice(0, 12)}</span>,
  },
  ...(restore === undefined ? [] : [restoreColumn(current, restore)]),
];

const restoreColumn = (
  current: number,
  restore: (version: number) => void,
): PlainColumn<TenantAgentVersion> => ({
  id: "actions",
  header: texts.actions,
  hidesHeader: true,
  align: "end",
  cell: ({ number }) =>
    number !== current && (
      <RowButton label={texts.restore} title={texts.restoreTitle(number)} onClick={() => restore(number)} />
    ),
});
