import { Button } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Confirm } from "../../../parts/dialogs/confirm.tsx";
import { NewKeyDialog } from "../../../parts/dialogs/new-key-dialog.tsx";
import { PageHeader } from "../../../parts/layout/page-header.tsx";
import { notify } from "../../../parts/notices.tsx";
import { EmptyState } from "../../../parts/states/empty-state.tsx";
import { Loaded } from "../../../parts/states/loaded.tsx";
import { keyTexts as texts } from "../../../texts/platform/tenant.ts";
import { usePlatform } from "../../use-platform.ts";
import { Permitted, RightNote, useRights } from "../rights.tsx";
import { type TenantPageProps, tenantPage } from "../tenant-page.tsx";
import { type ApiKey, KeyTable } from "./key-table.tsx";

export default tenantPage(KeysPage);

function KeysPage({ tenant }: TenantPageProps) {
  const platform = usePlatform(tenant.id);
  const queries = useQueryClient();
  const queryKey = ["platform", tenant.id, "keys"];
  const query = useQuery({ queryKey, queryFn: () => platform.listKeys(tenant.id) });
  const [isMaking, setMaking] = useState(false);
  const [revoked, revoke] = useState<ApiKey>();
  const changed = () => queries.invalidateQueries({ queryKey });
  const createKey = async (label: string, expires: string | undefined) => {
    const { rawKey } = await platform.createKey(tenant.id, label, expires);
    return { name: label, secret: rawKey };
  };
  const may = useRights();
  const create = (
    <Permitted right="keys">
      <Button onClick={() => setMaking(true)}>{texts.create}</Button>
    </Permitted>
  );
  return (
    <>
      <PageHeader title={texts.title} lead={texts.lead(tenant.displayName)}>
        {query.data !== undefined && query.data.keys.length > 0 && create}
      </PageHeader>
      <RightNote right="keys" />
      <Loaded query={query} rows={3}>
        {({ keys }) =>
          keys.length === 0 ? (
            <EmptyState title={texts.noneTitle} text={texts.none}>
              {create}
            </EmptyState>
          ) : (
            <KeyTable keys={keys} {...(may("keys") && { revoke })} />
          )
        }
      </Loaded>
      {isMaking && (
        <NewKeyDialog texts={texts} create={createKey} made={changed} close={() => setMaking(false)} />
      )}
      {revoked !== undefined && (
        <Confirm
          opened
          title={texts.revokeTitle(revoked.label)}
          text={texts.revokeText}
          action={texts.revokeAction}
          onClose={() => revoke(undefined)}
          onConfirm={async () => {
            await platform.revokeKey(tenant.id, revoked.hash);
            await changed();
            notify(texts.revoked(revoked.label));
          }}
        />
      )}
    </>
  );
}
