import { Group, Radio } from "@mantine/core";
import type { ManifestVersion } from "../../../../contracts/daemon/agent-versions.ts";
import { type EvalScore, EvalScores } from "../../../parts/eval-scores.tsx";
import { type PlainColumn, PlainTable } from "../../../parts/tables/plain-table.tsx";
import { RowButton } from "../../../parts/tables/row-button.tsx";
import { formatNumber } from "../../../parts/text/format.ts";
import { Instant } from "../../../parts/text/instant.tsx";
import { StatusBadge } from "../../../parts/text/status-badge.tsx";
import { scoreTexts } from "../../../texts/parts.ts";
import { historyTexts as texts } from "../../../texts/studio/history.ts";

interface VersionTableProps {
  versions: readonly ManifestVersion[];
  /** The two versions that are compared. */
  from: number;
  to: number;
  /** Scores of evals by the versions' checksums. */
  scores: ReadonlyMap<string, readonly EvalScore[]>;
  setFrom: (version: number) => void;
  setTo: (version: number) => void;
  restore: (version: ManifestVersion) => void;
}

/** Versions of a manifest: selects two to compare and one to restore. */
export function VersionTable(props: VersionTableProps) {
  return (
    <PlainTable
      label={texts.versions}
      columns={columnsFor(props)}
      rows={props.versions}
      keyOf={({ number }) => String(number)}
    />
  );
}

const columnsFor = ({
  from,
  to,
  scores,
  setFrom,
  setTo,
  restore,
}: VersionTableProps): PlainColumn<ManifestVersion>[] => [
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
    cell: ({ number, at, current, masked }) => (
      <Group gap={6}>
        {number}
        <span className="ar-soft ar-from-md-hidden">
          <Instant iso={at} />
        </span>
        {current && <StatusBadge tone="good">{texts.current}</StatusBadge>}
        {masked && (
          <span title={texts.maskedHint}>
            <StatusBadge tone="warn">{texts.masked}</StatusBadge>
          </span>
        )}
      </Group>
    ),
  },
  { id: "at", header: texts.at, from: "md", cell: ({ at }) => <Instant iso={at} /> },
  { id: "origin", header: texts.origin, from: "md", cell: ({ origin }) => texts.origins[origin] },
  {
    id: "scores",
    header: scoreTexts.head,
    from: "sm",
    cell: ({ checksum }) => <EvalScores scores={scores.get(checksum)} />,
  },
  {
    id: "size",
    header: texts.size,
    from: "md",
    align: "end",
    cell: ({ bytes }) => texts.bytes(formatNumber(bytes)),
  },
  {
    id: "actions",
    header: texts.actions,
    hidesHeader: true,
    align: "end",
    cell: (version) =>
      !version.current &&
      !version.masked && (
        <RowButton
          label={texts.restore}
          title={texts.restoreTitle(version.number)}
          onClick={() => restore(version)}
        />
      ),
  },
];
