import { TextInput } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { OwnTenant } from "../../../../contracts/platform/members.ts";
import { FormDialog } from "../../../parts/dialogs/form-dialog.tsx";
import { notify } from "../../../parts/notices.tsx";
import { tenantMemberTexts as texts } from "../../../texts/platform/tenant-members.ts";
import { usePlatform } from "../../use-platform.ts";
import { tenantsKey } from "../use-tenants.ts";

/** Joins a tenant by the code of an invitation. */
export function JoinDialog({ close, done }: { close: () => void; done: (tenant: OwnTenant) => void }) {
  const platform = usePlatform();
  const queries = useQueryClient();
  const [token, setToken] = useState("");
  return (
    <FormDialog
      title={texts.join}
      action={texts.joinAction}
      isComplete={token.trim() !== ""}
      close={close}
      send={async () => {
        const tenant = await platform.acceptInvitation(token.trim());
        await queries.invalidateQueries({ queryKey: tenantsKey });
        notify(texts.joinedTenant(tenant.displayName));
        done(tenant);
      }}
    >
      <TextInput
        label={texts.secret}
        description={texts.joinHint}
        required
        maxLength={128}
        autoComplete="off"
        data-autofocus
        value={token}
        onChange={(event) => setToken(event.currentTarget.value)}
      />
    </FormDialog>
  );
}
