import { Button } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { KeyList } from "../../../../contracts/platform/tenants.ts";
import { usePlatform } from "../../../api/use-server.tsx";
import { Confirm } from "../../../parts/confirm.tsx";
import { EmptyState } from "../../../parts/empty-state.tsx";
import { Loaded } from "../../../parts/loaded.tsx";
import { PageHead } from "../../../parts/page-head.tsx";
import { say } from "../../../parts/say.ts";
import { keyTexts as texts } from "../../../texts/platform-tenant.ts";
import { type TenantPageProps, tenantPage } from "../tenant-page.tsx";
import { KeyTable } from "./key-table.tsx";
import { NewKeyDialog } from "./new-key-dialog.tsx";

export type ApiKey = KeyList["keys"][number];

export default tenantPage(KeysPage);

function KeysPage({ tenant }: TenantPageProps) {
  const platform = usePlatform(tenant.id);
  const queries = useQueryClient();
  const queryKey = ["platform", tenant.id, "keys"];
  const query = useQuery({ queryKey, queryFn: () => platform.listKeys(tenant.id) });
  const [isMaking, setMaking] = useState(false);
  const [revoked, revoke] = useState<ApiKey>();
  const changed = () => queries.invalidateQueries({ queryKey });
  const create = <Button onClick={() => setMaking(true)}>{texts.create}</Button>;
  return (
    <>
      <PageHead title={texts.title} lead={texts.lead(tenant.displayName)}>
        {query.data !== undefined && query.data.keys.length > 0 && create}
      </PageHead>
      <Loaded query={query} rows={3}>
        {({ keys }) =>
          keys.length === 0 ? (
            <EmptyState title={texts.noneTitle} text={texts.none}>
              {create}
            </EmptyState>
          ) : (
            <KeyTable keys={keys} revoke={revoke} />
          )
        }
      </Loaded>
      {isMaking && <NewKeyDialog tenantId={tenant.id} made={changed} close={() => setMaking(false)} />}
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
            say(texts.revoked(revoked.label));
          }}
        />
      )}
    </>
  );
}
