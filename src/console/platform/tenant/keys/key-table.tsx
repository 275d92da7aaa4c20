import { Button, Table, VisuallyHidden } from "@mantine/core";
import { Instant } from "../../../parts/instant.tsx";
import { keyTexts as texts } from "../../../texts/platform-tenant.ts";
import type { ApiKey } from "./keys-page.tsx";

/** A tenant's keys by label; what they are is not kept anywhere. */
export function KeyTable({ keys, revoke }: { keys: readonly ApiKey[]; revoke: (key: ApiKey) => void }) {
  return (
    <div className="ar-panel">
      <Table>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{texts.label}</Table.Th>
            <Table.Th visibleFrom="sm">{texts.hash}</Table.Th>
            <Table.Th visibleFrom="sm">{texts.createdAt}</Table.Th>
            <Table.Th>{texts.lastUsed}</Table.Th>
            <Table.Th>
              <VisuallyHidden>{texts.actions}</VisuallyHidden>
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {keys.map((key) => (
            <Table.Tr key={key.hash}>
              <Table.Td fw={600} className="ar-break">
                {key.label}
              </Table.Td>
              <Table.Td visibleFrom="sm" className="ar-mono" title={key.hash}>
                {key.hash.slice(0, 12)}…
              </Table.Td>
              <Table.Td visibleFrom="sm">
                <Instant iso={key.created_at} />
              </Table.Td>
              <Table.Td>
                {key.last_used_at === null ? (
                  <span className="ar-soft">{texts.never}</span>
                ) : (
                  <Instant iso={key.last_used_at} />
                )}
              </Table.Td>
              <Table.Td className="ar-end">
                <Button
                  size="compact-xs"
                  variant="subtle"
                  color="red"
                  aria-label={texts.revokeTitle(key.label)}
                  onClick={() => revoke(key)}
                >
                  {texts.revokeAction}
                </Button>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}
