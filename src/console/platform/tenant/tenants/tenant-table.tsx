import { Anchor, Button, Group, Table, VisuallyHidden } from "@mantine/core";
import { Link } from "wouter";
import type { Tenant } from "../../../../contracts/platform/tenants.ts";
import { CopyButton } from "../../../parts/copy-button.tsx";
import { StatusBadge } from "../../../parts/status-badge.tsx";
import { tenantsTexts as texts } from "../../../texts/platform-tenant.ts";
import { tenantPaths } from "../tenant-paths.ts";

interface TenantTableProps {
  tenants: readonly Tenant[];
  current: string | undefined;
  rename: (tenant: Tenant) => void;
  remove: (tenant: Tenant) => void;
}

/** A person's tenants; the name opens one. */
export function TenantTable({ tenants, current, rename, remove }: TenantTableProps) {
  return (
    <div className="ar-panel">
      <Table>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{texts.name}</Table.Th>
            <Table.Th visibleFrom="sm">{texts.crName}</Table.Th>
            <Table.Th>
              <VisuallyHidden>{texts.actions}</VisuallyHidden>
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {tenants.map((tenant) => (
            <Table.Tr key={tenant.id}>
              <Table.Td>
                <Anchor component={Link} href={tenantPaths(tenant.id).agents} fw={600} className="ar-break">
                  {tenant.displayName}
                </Anchor>{" "}
                {tenant.id === current && <StatusBadge tone="accent">{texts.current}</StatusBadge>}
              </Table.Td>
              <Table.Td visibleFrom="sm">
                <Group gap={4} wrap="nowrap">
                  <span className="ar-mono">{tenant.crName}</span>
                  <CopyButton value={tenant.id} label={texts.copyId(tenant.displayName)} />
                </Group>
              </Table.Td>
              <Table.Td>
                <Group gap={4} justify="flex-end">
                  <Button
                    size="compact-xs"
                    variant="subtle"
                    aria-label={texts.renameTitle(tenant.displayName)}
                    onClick={() => rename(tenant)}
                  >
                    {texts.renameAction}
                  </Button>
                  <Button
                    size="compact-xs"
                    variant="subtle"
                    color="red"
                    aria-label={texts.deleteTitle(tenant.displayName)}
                    onClick={() => remove(tenant)}
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
