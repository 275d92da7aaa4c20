import { Button, Group } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Member } from "../../../contracts/cloud/orgs.ts";
import { Confirm } from "../../parts/dialogs/confirm.tsx";
import { PageHeader } from "../../parts/layout/page-header.tsx";
import { SideScroll } from "../../parts/layout/side-scroll.tsx";
import { notify } from "../../parts/notices.tsx";
import { Loaded } from "../../parts/states/loaded.tsx";
import { type PlainColumn, PlainTable } from "../../parts/tables/plain-table.tsx";
import { RowButton } from "../../parts/tables/row-button.tsx";
import { Instant } from "../../parts/text/instant.tsx";
import { StatusBadge } from "../../parts/text/status-badge.tsx";
import { roleTexts } from "../../texts/cloud/cloud.ts";
import { memberTexts as texts } from "../../texts/cloud/org.ts";
import { Invitations } from "../invitations.tsx";
import { mayManage, type OrgPageProps, orgPage } from "../org-page.tsx";
import { useCloud, useOrgs } from "../use-cloud.ts";
import { InviteDialog, RenameDialog } from "./member-dialogs.tsx";

export default orgPage(MembersPage);

function MembersPage({ org }: OrgPageProps) {
  const cloud = useCloud();
  const queries = useQueryClient();
  const own = useOrgs().data?.email;
  const query = useQuery({
    queryKey: ["cloud", org.slug, "members"],
    queryFn: () => cloud.members(org.slug),
  });
  const [asked, ask] = useState<"invite" | "rename">();
  const [leaving, remove] = useState<Member>();
  const isManager = mayManage(org);
  const { max_members: most } = org.limits;
  const count = query.data?.members.length ?? 0;
  const close = () => ask(undefined);
  const changed = async (text: string) => {
    await queries.invalidateQueries({ queryKey: ["cloud"] });
    notify(text);
  };
  const lead = query.data === undefined ? undefined : texts.lead(count, most);
  return (
    <>
      <PageHeader title={texts.title} lead={isManager ? lead : `${lead ?? ""} ${texts.managersOnly}`}>
        {isManager && (
          <Group gap="xs">
            <Button variant="default" onClick={() => ask("rename")}>
              {texts.rename}
            </Button>
            <Button onClick={() => ask("invite")}>{texts.invite}</Button>
          </Group>
        )}
      </PageHeader>
      <Invitations />
      <Loaded query={query} rows={3}>
        {({ members }) => (
          <div className="ar-panel">
            <SideScroll>
              <PlainTable
                label={texts.title}
                columns={columnsFor(own, isManager ? remove : undefined)}
                rows={members}
                keyOf={({ id }) => id}
              />
            </SideScroll>
          </div>
        )}
      </Loaded>
      {asked === "invite" && (
        <InviteDialog
          close={close}
          send={async (input) => {
            await cloud.invite(org.slug, input);
            await changed(texts.sent(input.email));
          }}
        />
      )}
      {asked === "rename" && (
        <RenameDialog
          org={org}
          close={close}
          send={async (name) => {
            await cloud.renameOrg(org.slug, name);
            await changed(texts.renamed);
          }}
        />
      )}
      {leaving !== undefined && (
        <Confirm
          opened
          {...(leaving.status === "invited"
            ? {
                title: texts.withdrawTitle(leaving.email),
                text: texts.withdrawText,
                action: texts.withdraw,
              }
            : { title: texts.removeTitle(leaving.email), text: texts.removeText, action: texts.remove })}
          onClose={() => remove(undefined)}
          onConfirm={async () => {
            await cloud.removeMember(org.slug, leaving.id);
            await changed(texts.removed(leaving.email));
          }}
        />
      )}
    </>
  );
}

const columnsFor = (
  own: string | undefined,
  remove: ((member: Member) => void) | undefined,
): PlainColumn<Member>[] => [
  {
    id: "person",
    header: texts.person,
    cell: ({ name, email }) => (
      <>
        <span className="ar-tn-strong ar-break">{name === "" ? email : name}</span>
        {email === own && <span className="ar-soft"> ({texts.you})</span>}
        {name !== "" && <div className="ar-soft ar-break">{email}</div>}
      </>
    ),
  },
  { id: "role", header: texts.role, cell: ({ role }) => roleTexts[role] },
  {
    id: "status",
    header: texts.status,
    from: "sm",
    cell: ({ status }) => (
      <StatusBadge tone={status === "active" ? "good" : "warn"}>{texts[status]}</StatusBadge>
    ),
  },
  {
    id: "joined",
    header: texts.joined,
    from: "md",
    cell: ({ joined_at }) =>
      joined_at === null ? <span className="ar-soft">–</span> : <Instant iso={joined_at} />,
  },
  ...(remove === undefined
    ? []
    : [
        {
          id: "actions",
          header: texts.actions,
          hidesHeader: true as const,
          align: "end" as const,
          cell: (member: Member) =>
            member.role !== "owner" && (
              <RowButton
                label={member.status === "invited" ? texts.withdraw : texts.remove}
                title={
                  member.status === "invited" ? texts.withdrawOf(member.email) : texts.removeOf(member.email)
                }
                isDanger
                onClick={() => remove(member)}
              />
            ),
        },
      ]),
];
