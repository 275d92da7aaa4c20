import { Anchor, Select, Text } from "@mantine/core";
import { useState } from "react";
import { Link, useLocation } from "wouter";
import { FormDialog } from "../../parts/dialogs/form-dialog.tsx";
import { Loaded } from "../../parts/states/loaded.tsx";
import { tenantPaths, tenantsPath } from "../../platform/tenant/tenant-paths.ts";
import { useTenants } from "../../platform/tenant/use-tenants.ts";
import { copyToTenantTexts as texts } from "../../texts/studio/agents.ts";

/** Asks for the tenant that shall get a copy of the agent, and opens the tenant's editor with it. */
export function CopyToTenantDialog({ agent, close }: { agent: string; close: () => void }) {
  const [, go] = useLocation();
  const query = useTenants();
  const [chosen, choose] = useState<string | null>(null);
  const tenants = query.data?.tenants ?? [];
  const tenant = chosen ?? tenants[0]?.id;
  return (
    <FormDialog
      title={texts.dialogTitle(agent)}
      action={texts.openEditor}
      isComplete={tenant !== undefined}
      close={close}
      send={async () => {
        if (tenant !== undefined) go(tenantPaths(tenant).copyOf(agent));
      }}
    >
      <Loaded query={query} rows={1}>
        {() =>
          tenants.length === 0 ? (
            <Text>
              {texts.noTenant}{" "}
              <Anchor component={Link} href={tenantsPath}>
                {texts.createTenant}
              </Anchor>
            </Text>
          ) : (
            <Select
              label={texts.tenant}
              description={texts.tenantHint}
              searchable
              allowDeselect={false}
              data={tenants.map(({ id, displayName }) => ({ value: id, label: displayName }))}
              value={tenant ?? null}
              onChange={choose}
            />
          )
        }
      </Loaded>
      <Text size="sm" className="ar-soft">
        {texts.documents}
      </Text>
    </FormDialog>
  );
}
