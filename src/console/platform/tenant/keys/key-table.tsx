import type { KeyList } from "../../../../contracts/platform/keys.ts";
import { type PlainColumn, PlainTable } from "../../../parts/tables/plain-table.tsx";
import { RowButton } from "../../../parts/tables/row-button.tsx";
import { Instant } from "../../../parts/text/instant.tsx";
import { keyTexts as texts } from "../../../texts/platform/tenant.ts";

export type ApiKey = KeyList["keys"][number];

interface KeyTableProps {
  keys: readonly ApiKey[];
  /** Absent for people who may not revoke one. */
  revoke?: (key: ApiKey) => void;
}

/** A tenant's keys by label. The keys themselves are not stored. */
export function KeyTable({ keys, revoke }: KeyTableProps) {
  return (
    <div className="ar-panel">
      <PlainTable label={texts.title} columns={columnsFor(revoke)} rows={keys} keyOf={({ hash }) => hash} />
    </div>
  );
}

const columnsFor = (revoke: KeyTableProps["revoke"]): PlainColumn<ApiKey>[] => [
  { id: "label", header: texts.name, className: "ar-tn-strong ar-break", cell: ({ label }) => label },
  {
    id: "hash",
    header: texts.hash,
    from: "md",
    className: "ar-mono",
    cell: ({ hash }) => <span title={hash}>{hash.slice(0, 12)}…</span>,
  },
  {
    id: "created",
    header: texts.createdAt,
    from: "md",
    cell: ({ created_at }) => <Instant iso={created_at} />,
  },
  {
    id: "maker",
    header: texts.madeBy,
    from: "md",
    className: "ar-break",
    cell: ({ created_by }) => created_by ?? texts.byMachine,
  },
  {
    id: "expires",
    header: texts.expires,
    from: "md",
    cell: ({ expires_at }) =>
      expires_at === null ? <span className="ar-soft">{texts.never}</span> : <Instant iso={expires_at} />,
  },
  {
    id: "used",
    header: texts.lastUsed,
    cell: ({ last_used_at }) =>
      last_used_at === null ? <span className="ar-soft">{texts.never}</span> : <Instant iso={last_used_at} />,
  },
  ...(revoke === undefined ? [] : [revokeColumn(revoke)]),
];

const revokeColumn = (revoke: (key: ApiKey) => void): PlainColumn<ApiKey> => ({
  id: "actions",
  header: texts.actions,
  hidesHeader: true,
  align: "end",
  cell: (key) => (
    <RowButton
      label={texts.revoke}
      title={texts.revokeTitle(key.label)}
      isDanger
      onClick={() => revoke(key)}
    />
  ),
});
