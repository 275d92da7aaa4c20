import { Button, Group } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { useLocation } from "wouter";
import type { Tenant } from "../../../../contracts/platform/tenants.ts";
import { useUrlState } from "../../../parts/address/use-url-state.ts";
import { Confirm } from "../../../parts/dialogs/confirm.tsx";
import { PageHeader } from "../../../parts/layout/page-header.tsx";
import { notify } from "../../../parts/notices.tsx";
import { EmptyState } from "../../../parts/states/empty-state.tsx";
import { Loaded } from "../../../parts/states/loaded.tsx";
import { tenantsTexts as texts } from "../../../texts/platform/tenant.ts";
import { tenantMemberTexts as memberTexts } from "../../../texts/platform/tenant-members.ts";
import { forgetTenantId, useTenantId } from "../../tenant-id.ts";
import { usePlatform } from "../../use-platform.ts";
import { JoinDialog } from "../members/join-dialog.tsx";
import { tenantPaths } from "../tenant-paths.ts";
import { tenantsKey, useTenants } from "../use-tenants.ts";
import { TenantNameDialog } from "./tenant-name-dialog.tsx";
import { TenantTable } from "./tenant-table.tsx";

type Asked = { what: "create" | "join" } | { what: "rename" | "delete"; tenant: Tenant };

export default function TenantsPage() {
  const query = useTenants();
  const platform = usePlatform();
  const queries = useQueryClient();
  const last = useTenantId();
  const [, go] = useLocation();
  const [asked, ask] = useState<Asked>();
  // The palette opens the page with the form of a new tenant. Once it is open, the address no longer asks for it.
  const [isNew, setNew] = useUrlState("new");
  useEffect(() => {
    if (isNew === "") return;
    ask({ what: "create" });
    setNew("");
  }, [isNew, setNew]);
  const close = () => ask(undefined);
  const create = (
    <Group gap="xs">
      <Button variant="default" onClick={() => ask({ what: "join" })}>
        {memberTexts.join}
      </Button>
      <Button onClick={() => ask({ what: "create" })}>{texts.createAction}</Button>
    </Group>
  );
  const remove = async ({ id, displayName }: Tenant) => {
    await platform.deleteTenant(id);
    if (last === id) forgetTenantId();
    queries.removeQueries({ queryKey: ["platform", id] });
    await queries.invalidateQueries({ queryKey: tenantsKey });
    notify(texts.deleted(displayName));
  };
  return (
    <>
      <PageHeader title={texts.title} lead={texts.lead}>
        {query.data !== undefined && query.data.tenants.length > 0 && create}
      </PageHeader>
      <Loaded query={query} rows={3}>
        {({ tenants }) =>
          tenants.length === 0 ? (
            <EmptyState title={texts.noneTitle} text={texts.none}>
              {create}
            </EmptyState>
          ) : (
            <TenantTable
              tenants={tenants}
              current={last}
              rename={(tenant) => ask({ what: "rename", tenant })}
              remove={(tenant) => ask({ what: "delete", tenant })}
            />
          )
        }
      </Loaded>
      {asked?.what === "create" && (
        <TenantNameDialog close={close} done={({ id }) => go(tenantPaths(id).agents)} />
      )}
      {asked?.what === "join" && <JoinDialog close={close} done={({ id }) => go(tenantPaths(id).agents)} />}
      {asked?.what === "rename" && <TenantNameDialog tenant={asked.tenant} close={close} />}
      {asked?.what === "delete" && (
        <Confirm
          opened
          title={texts.deleteTitle(asked.tenant.displayName)}
          text={texts.deleteText}
          action={texts.deleteAction}
          typed={asked.tenant.crName}
          onClose={close}
          onConfirm={() => remove(asked.tenant)}
        />
      )}
    </>
  );
}
