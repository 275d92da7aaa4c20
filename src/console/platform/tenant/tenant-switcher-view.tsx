import { Button, Menu } from "@mantine/core";
import { useLocation } from "wouter";
import { Icon } from "../../parts/icon.tsx";
import { useSession } from "../../session/session.tsx";
import { useNewestTenants, useTenantNames } from "../../tenants/use-tenant-names.ts";
import { tenantPageTexts as texts } from "../../texts/platform/tenant.ts";
import { useTenantId } from "../tenant-id.ts";
import { sameForTenant, tenantsPath } from "./tenant-paths.ts";
import { useTenants } from "./use-tenants.ts";

/** Shows the current tenant, and switches to the same page of another. An operator may act for every tenant, and sees that they do. */
export default function TenantSwitcherView() {
  const [location, go] = useLocation();
  const { signedIn } = useSession();
  const id = useTenantId();
  const { data, isLoading } = useTenants();
  const newest = useNewestTenants();
  const names = useTenantNames(id === undefined ? [] : [id]);
  const own = data?.tenants ?? [];
  const others = (newest ?? [])
    .filter((tenant) => own.every((one) => one.id !== tenant.id))
    .map((tenant) => ({ id: tenant.id, displayName: tenant.display_name }));
  const tenants = [...own, ...others];
  if ((signedIn.person === undefined && !signedIn.operator) || tenants.length === 0) return null;
  const known = own.find((tenant) => tenant.id === id)?.displayName;
  const name = known ?? names.get(id ?? "") ?? texts.choose;
  const isForeign = location.startsWith("/platform/t/") && known === undefined && !isLoading;
  return (
    <Menu position="bottom-start" width={204}>
      <Menu.Target>
        <Button
          className={isForeign ? "ar-tn-tenant-switcher ar-tn-foreign" : "ar-tn-tenant-switcher"}
          variant="default"
          size="xs"
          fullWidth
          classNames={{ label: "ar-tn-switcher-label" }}
          leftSection={<Icon name="tenants" />}
          rightSection={<Icon name="down" />}
          aria-label={isForeign ? texts.actingFor(name) : texts.switcher(name)}
          title={isForeign ? texts.actingFor(name) : undefined}
        >
          <span className="ar-clip">{name}</span>
        </Button>
      </Menu.Target>
      <Menu.Dropdown className="ar-tn-switcher-list">
        <Menu.Label>{texts.switchTo}</Menu.Label>
        {tenants.map((tenant) => (
          <Menu.Item
            key={tenant.id}
            rightSection={tenant.id === id ? <Icon name="check" /> : null}
            onClick={() => go(sameForTenant(location, tenant.id))}
          >
            <span className="ar-break">{tenant.displayName}</span>
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item onClick={() => go(tenantsPath)}>{texts.manage}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
