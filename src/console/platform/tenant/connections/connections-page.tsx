import { Button } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Connection } from "../../../../contracts/platform/connections.ts";
import { Confirm } from "../../../parts/dialogs/confirm.tsx";
import { PageHeader } from "../../../parts/layout/page-header.tsx";
import { notify } from "../../../parts/notices.tsx";
import { EmptyState } from "../../../parts/states/empty-state.tsx";
import { Loaded } from "../../../parts/states/loaded.tsx";
import { connectionTexts as texts } from "../../../texts/platform/tenant.ts";
import { usePlatform } from "../../use-platform.ts";
import { Permitted, RightNote, useRights } from "../rights.tsx";
import { type TenantPageProps, tenantPage } from "../tenant-page.tsx";
import { ConnectionDialog } from "./connection-dialog.tsx";
import { ConnectionTable } from "./connection-table.tsx";

export default tenantPage(ConnectionsPage);

function ConnectionsPage({ tenant }: TenantPageProps) {
  const platform = usePlatform(tenant.id);
  const queries = useQueryClient();
  const queryKey = ["platform", tenant.id, "connections"];
  const query = useQuery({ queryKey, queryFn: platform.listConnections });
  const [edited, edit] = useState<Connection | "new">();
  const [removed, remove] = useState<Connection>();
  const changed = () => queries.invalidateQueries({ queryKey });
  const may = useRights();
  const add = (
    <Permitted right="connections">
      <Button onClick={() => edit("new")}>{texts.add}</Button>
    </Permitted>
  );
  return (
    <>
      <PageHeader title={texts.title} lead={texts.lead(tenant.displayName)}>
        {query.data !== undefined && query.data.connections.length > 0 && add}
      </PageHeader>
      <RightNote right="connections" />
      <Loaded query={query} rows={3}>
        {({ connections }) =>
          connections.length === 0 ? (
            <EmptyState title={texts.noneTitle} text={texts.none}>
              {add}
            </EmptyState>
          ) : (
            <ConnectionTable
              connections={connections}
              {...(may("connections") && { changes: { edit, remove } })}
            />
          )
        }
      </Loaded>
      {edited !== undefined && (
        <ConnectionDialog
          tenantId={tenant.id}
          connection={edited === "new" ? undefined : edited}
          taken={(query.data?.connections ?? []).map(({ name }) => name)}
          saved={changed}
          close={() => edit(undefined)}
        />
      )}
      {removed !== undefined && (
        <Confirm
          opened
          title={texts.deleteTitle(removed.name)}
          text={texts.deleteText}
          action={texts.deleteAction}
          onClose={() => remove(undefined)}
          onConfirm={async () => {
            await platform.deleteConnection(removed.name);
            await changed();
            notify(texts.deleted(removed.name));
          }}
        />
      )}
    </>
  );
}
