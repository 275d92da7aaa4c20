import { Button, Group, Table, VisuallyHidden } from "@mantine/core";
import type { Connection } from "../../../../contracts/platform/connections.ts";
import { Instant } from "../../../parts/instant.tsx";
import { connectionTexts as texts } from "../../../texts/platform-tenant.ts";

interface ConnectionTableProps {
  connections: readonly Connection[];
  edit: (connection: Connection) => void;
  remove: (connection: Connection) => void;
}

/** Names and addresses; secrets stay where they are. */
export function ConnectionTable({ connections, edit, remove }: ConnectionTableProps) {
  return (
    <div className="ar-panel">
      <Table>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{texts.name}</Table.Th>
            <Table.Th visibleFrom="sm">{texts.secrets}</Table.Th>
            <Table.Th visibleFrom="sm">{texts.updatedAt}</Table.Th>
            <Table.Th>
              <VisuallyHidden>{texts.actions}</VisuallyHidden>
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {connections.map((connection) => (
            <Table.Tr key={connection.name}>
              <Table.Td>
                <div className="ar-mono ar-break ar-tn-strong">{connection.name}</div>
                <div className="ar-soft ar-break">{connection.base_url ?? texts.noBaseUrl}</div>
              </Table.Td>
              <Table.Td visibleFrom="sm">
                <span role="img" aria-label={texts.sealed}>
                  ••••••••
                </span>
              </Table.Td>
              <Table.Td visibleFrom="sm">
                <Instant iso={connection.updated_at} />
              </Table.Td>
              <Table.Td>
                <Group gap={4} justify="flex-end">
                  <Button
                    size="compact-xs"
                    variant="subtle"
                    aria-label={texts.replaceTitle(connection.name)}
                    onClick={() => edit(connection)}
                  >
                    {texts.replace}
                  </Button>
                  <Button
                    size="compact-xs"
                    variant="subtle"
                    color="red"
                    aria-label={texts.deleteTitle(connection.name)}
                    onClick={() => remove(connection)}
                  >
                    {texts.remove}
                  </Button>
                </Group>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}
