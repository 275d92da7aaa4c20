import { TextInput } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Tenant } from "../../../../contracts/platform/tenants.ts";
import { FormDialog } from "../../../parts/dialogs/form-dialog.tsx";
import { notify } from "../../../parts/notices.tsx";
import { tenantsTexts as texts } from "../../../texts/platform/tenant.ts";
import { usePlatform } from "../../use-platform.ts";
import { tenantsKey } from "../use-tenants.ts";

interface TenantNameDialogProps {
  /** Absent for a new tenant. */
  tenant?: Tenant | undefined;
  close: () => void;
  done?: (tenant: Tenant) => void;
}

/** Asks for a tenant's name, to create or rename the tenant. */
export function TenantNameDialog({ tenant, close, done }: TenantNameDialogProps) {
  const platform = usePlatform();
  const queries = useQueryClient();
  const [name, setName] = useState(tenant?.displayName ?? "");
  const send = async () => {
    const saved = await (tenant === undefined
      ? platform.createTenant(name)
      : platform.renameTenant(tenant.id, name));
    await queries.invalidateQueries({ queryKey: tenantsKey });
    notify(tenant === undefined ? texts.created(saved.displayName) : texts.renamed(saved.displayName));
    done?.(saved);
  };
  return (
    <FormDialog
      title={tenant === undefined ? texts.create : texts.renameTitle(tenant.displayName)}
      action={tenant === undefined ? texts.createAction : texts.renameAction}
      isComplete={name.trim() !== ""}
      close={close}
      send={send}
    >
      <TextInput
        label={texts.name}
        description={texts.nameHint}
        required
        maxLength={255}
        data-autofocus
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
    </FormDialog>
  );
}
