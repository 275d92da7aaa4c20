import { Button, Menu } from "@mantine/core";
import { useLocation } from "wouter";
import { Icon } from "../../parts/icon.tsx";
import { useSession } from "../../session/session.tsx";
import { tenantPageTexts as texts } from "../../texts/platform/tenant.ts";
import { useTenantId } from "../tenant-id.ts";
import { sameForTenant, tenantsPath } from "./tenant-paths.ts";
import { useTenants } from "./use-tenants.ts";

/** Shows the current tenant, and switches to the same page of another. */
export default function TenantSwitcherView() {
  const [location, go] = useLocation();
  const { signedIn } = useSession();
  const id = useTenantId();
  const { data } = useTenants();
  if (signedIn.person === undefined || data === undefined || data.tenants.length === 0) return null;
  const { tenants } = data;
  const current = tenants.find((tenant) => tenant.id === id);
  const name = current?.displayName ?? texts.choose;
  return (
    <Menu position="bottom-start" width={204}>
      <Menu.Target>
        <Button
          className="ar-tn-tenant-switcher"
          variant="default"
          size="xs"
          fullWidth
          classNames={{ label: "ar-tn-switcher-label" }}
          leftSection={<Icon name="tenants" />}
          rightSection={<Icon name="down" />}
          aria-label={texts.switcher(name)}
        >
          <span className="ar-clip">{name}</span>
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
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
