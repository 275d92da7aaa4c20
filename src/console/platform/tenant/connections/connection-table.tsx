import { Group } from "@mantine/core";
import type { Connection } from "../../../../contracts/platform/connections.ts";
import { type PlainColumn, PlainTable } from "../../../parts/tables/plain-table.tsx";
import { RowButton } from "../../../parts/tables/row-button.tsx";
import { Instant } from "../../../parts/text/instant.tsx";
import { connectionTexts as texts } from "../../../texts/platform/tenant.ts";

interface ConnectionChanges {
  edit: (connection: Connection) => void;
  remove: (connection: Connection) => void;
}

interface ConnectionTableProps {
  connections: readonly Connection[];
  /** Absent for people who may not change them. */
  changes?: ConnectionChanges;
}

/** Names and addresses of connections, without their secrets. */
export function ConnectionTable({ connections, changes }: ConnectionTableProps) {
  return (
    <div className="ar-panel">
      <PlainTable
        label={texts.title}
        columns={columnsFor(changes)}
        rows={connections}
        keyOf={({ name }) => name}
      />
    </div>
  );
}

const columnsFor = (changes: ConnectionChanges | undefined): PlainColumn<Connection>[] => [
  {
    id: "name",
    header: texts.name,
    cell: ({ name, base_url }) => (
      <>
        <div className="ar-mono ar-break ar-tn-strong">{name}</div>
        <div className="ar-soft ar-break">{base_url ?? texts.noBaseUrl}</div>
      </>
    ),
  },
  {
    id: "secrets",
    header: texts.secrets,
    from: "md",
    cell: () => (
      <span role="img" aria-label={texts.sealed}>
        ••••••••
      </span>
    ),
  },
  {
    id: "updated",
    header: texts.updatedAt,
    from: "md",
    cell: ({ updated_at }) => <Instant iso={updated_at} />,
  },
  ...(changes === undefined ? [] : [actionsColumn(changes)]),
];

const actionsColumn = ({ edit, remove }: ConnectionChanges): PlainColumn<Connection> => ({
  id: "actions",
  header: texts.actions,
  hidesHeader: true,
  cell: (connection) => (
    <Group gap={4} justify="flex-end">
      <RowButton
        label={texts.replace}
        title={texts.replaceTitle(connection.name)}
        onClick={() => edit(connection)}
      />
      <RowButton
        label={texts.remove}
        title={texts.deleteTitle(connection.name)}
        isDanger
        onClick={() => remove(connection)}
      />
    </Group>
  ),
});
