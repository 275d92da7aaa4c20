import { Button } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { CloudKey } from "../../../contracts/cloud/keys.ts";
import { Confirm } from "../../parts/dialogs/confirm.tsx";
import { NewKeyDialog } from "../../parts/dialogs/new-key-dialog.tsx";
import { PageHeader } from "../../parts/layout/page-header.tsx";
import { SideScroll } from "../../parts/layout/side-scroll.tsx";
import { notify } from "../../parts/notices.tsx";
import { EmptyState } from "../../parts/states/empty-state.tsx";
import { Loaded } from "../../parts/states/loaded.tsx";
import { type PlainColumn, PlainTable } from "../../parts/tables/plain-table.tsx";
import { RowButton } from "../../parts/tables/row-button.tsx";
import { Instant } from "../../parts/text/instant.tsx";
import { keyTexts as texts } from "../../texts/cloud/org.ts";
import { mayManage, type OrgPageProps, orgPage } from "../org-page.tsx";
import { useCloud } from "../use-cloud.ts";

export default orgPage(KeysPage);

function KeysPage({ org }: OrgPageProps) {
  const cloud = useCloud();
  const queries = useQueryClient();
  const queryKey = ["cloud", org.slug, "keys"];
  const query = useQuery({ queryKey, queryFn: () => cloud.keys(org.slug) });
  const [isMaking, setMaking] = useState(false);
  const [revoked, revoke] = useState<CloudKey>();
  const isManager = mayManage(org);
  const changed = () => queries.invalidateQueries({ queryKey });
  const create = isManager && <Button onClick={() => setMaking(true)}>{texts.create}</Button>;
  return (
    <>
      <PageHeader title={texts.title} lead={isManager ? texts.lead : `${texts.lead} ${texts.managersOnly}`}>
        {query.data !== undefined && query.data.keys.length > 0 && create}
      </PageHeader>
      <Loaded query={query} rows={3}>
        {({ keys }) =>
          keys.length === 0 ? (
            <EmptyState title={texts.noneTitle} text={texts.none}>
              {create}
            </EmptyState>
          ) : (
            <div className="ar-panel">
              <SideScroll>
                <PlainTable
                  label={texts.title}
                  columns={columnsFor(isManager ? revoke : undefined)}
                  rows={keys}
                  keyOf={({ id }) => id}
                />
              </SideScroll>
            </div>
          )
        }
      </Loaded>
      {isMaking && (
        <NewKeyDialog
          texts={texts}
          create={(name, expires) => cloud.createKey(org.slug, name, expires)}
          made={changed}
          close={() => setMaking(false)}
        />
      )}
      {revoked !== undefined && (
        <Confirm
          opened
          title={texts.revokeTitle(revoked.name)}
          text={texts.revokeText}
          action={texts.revokeAction}
          onClose={() => revoke(undefined)}
          onConfirm={async () => {
            await cloud.revokeKey(org.slug, revoked.id);
            await changed();
            notify(texts.revoked(revoked.name));
          }}
        />
      )}
    </>
  );
}

const columnsFor = (revoke: ((key: CloudKey) => void) | undefined): PlainColumn<CloudKey>[] => [
  { id: "name", header: texts.name, className: "ar-tn-strong ar-break", cell: ({ name }) => name },
  {
    id: "prefix",
    header: texts.prefix,
    from: "md",
    className: "ar-mono",
    cell: ({ prefix }) => `${prefix}…`,
  },
  {
    id: "created",
    header: texts.created,
    from: "md",
    cell: ({ created_at }) => <Instant iso={created_at} />,
  },
  {
    id: "maker",
    header: texts.madeBy,
    from: "md",
    className: "ar-break",
    cell: ({ created_by }) => created_by ?? texts.byMachine,
  },
  {
    id: "expires",
    header: texts.expires,
    from: "md",
    cell: ({ expires_at }) =>
      expires_at === null ? <span className="ar-soft">{texts.never}</span> : <Instant iso={expires_at} />,
  },
  {
    id: "used",
    header: texts.lastUsed,
    cell: ({ last_used_at }) =>
      last_used_at === null ? <span className="ar-soft">{texts.never}</span> : <Instant iso={last_used_at} />,
  },
  ...(revoke === undefined
    ? []
    : [
        {
          id: "actions",
          header: texts.actions,
          hidesHeader: true as const,
          align: "end" as const,
          cell: (key: CloudKey) => (
            <RowButton
              label={texts.revoke}
              title={texts.revokeTitle(key.name)}
              isDanger
              onClick={() => revoke(key)}
            />
          ),
        },
      ]),
];
