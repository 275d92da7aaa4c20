import { Anchor, Group } from "@mantine/core";
import { Link } from "wouter";
import type { OwnTenant } from "../../../../contracts/platform/members.ts";
import { hasRight } from "../../../../contracts/platform/tenant-rights.ts";
import type { Tenant } from "../../../../contracts/platform/tenants.ts";
import { type PlainColumn, PlainTable } from "../../../parts/tables/plain-table.tsx";
import { RowButton } from "../../../parts/tables/row-button.tsx";
import { CopyButton } from "../../../parts/text/copy-button.tsx";
import { StatusBadge } from "../../../parts/text/status-badge.tsx";
import { tenantsTexts as texts } from "../../../texts/platform/tenant.ts";
import { tenantMemberTexts as memberTexts } from "../../../texts/platform/tenant-members.ts";
import { tenantPaths } from "../tenant-paths.ts";

interface TenantChanges {
  rename: (tenant: Tenant) => void;
  remove: (tenant: Tenant) => void;
}

interface TenantTableProps extends TenantChanges {
  tenants: readonly OwnTenant[];
  current: string | undefined;
}

/** A person's tenants; a click on the name opens one. */
export function TenantTable({ tenants, current, ...changes }: TenantTableProps) {
  return (
    <div className="ar-panel">
      <PlainTable
        label={texts.title}
        columns={columnsFor(current, changes)}
        rows={tenants}
        keyOf={({ id }) => id}
      />
    </div>
  );
}

const columnsFor = (
  current: string | undefined,
  { rename, remove }: TenantChanges,
): PlainColumn<OwnTenant>[] => [
  {
    id: "name",
    header: texts.name,
    cell: ({ id, displayName }) => (
      <>
        <Anchor component={Link} href={tenantPaths(id).agents} fw={600} className="ar-break">
          {displayName}
        </Anchor>{" "}
        {id === current && <StatusBadge tone="accent">{texts.current}</StatusBadge>}
      </>
    ),
  },
  {
    id: "code",
    header: texts.crName,
    from: "md",
    cell: ({ id, crName, displayName }) => (
      <Group gap={4} wrap="nowrap">
        <span className="ar-mono">{crName}</span>
        <CopyButton value={id} label={texts.copyId(displayName)} />
      </Group>
    ),
  },
  { id: "role", header: memberTexts.role, from: "sm", cell: ({ role }) => memberTexts.roles[role] },
  {
    id: "actions",
    header: texts.actions,
    hidesHeader: true,
    cell: (tenant) => (
      <Group gap={4} justify="flex-end">
        {hasRight(tenant.role, "tenantName") && (
          <RowButton
            label={texts.renameAction}
            title={texts.renameTitle(tenant.displayName)}
            onClick={() => rename(tenant)}
          />
        )}
        {hasRight(tenant.role, "tenantDeletion") && (
          <RowButton
            label={texts.remove}
            title={texts.deleteTitle(tenant.displayName)}
            isDanger
            onClick={() => remove(tenant)}
          />
        )}
      </Group>
    ),
  },
];
