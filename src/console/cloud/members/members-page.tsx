import { Button, Group, Select } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useLocation } from "wouter";
import type { OrgMember, OrgMemberRole, OwnOrg } from "../../../contracts/cloud/orgs.ts";
import { Confirm } from "../../parts/dialogs/confirm.tsx";
import { RemoveMemberDialog } from "../../parts/dialogs/remove-member-dialog.tsx";
import { PageHeader } from "../../parts/layout/page-header.tsx";
import { SideScroll } from "../../parts/layout/side-scroll.tsx";
import { notify } from "../../parts/notices.tsx";
import { FailureView } from "../../parts/states/failure-view.tsx";
import { Loaded } from "../../parts/states/loaded.tsx";
import { type PlainColumn, PlainTable } from "../../parts/tables/plain-table.tsx";
import { RowButton } from "../../parts/tables/row-button.tsx";
import { Instant } from "../../parts/text/instant.tsx";
import { StatusBadge } from "../../parts/text/status-badge.tsx";
import { roleTexts } from "../../texts/cloud/cloud.ts";
import { memberTexts as texts } from "../../texts/cloud/org.ts";
import { cloudPath } from "../cloud-paths.ts";
import { Invitations } from "../invitations.tsx";
import { mayManage, type OrgPageProps, orgPage } from "../org-page.tsx";
import { useCloud, useOrgs } from "../use-cloud.ts";
import { InviteDialog, RenameDialog } from "./member-dialogs.tsx";

export default orgPage(MembersPage);

function MembersPage({ org }: OrgPageProps) {
  const cloud = useCloud();
  const queries = useQueryClient();
  const [, go] = useLocation();
  const own = useOrgs().data?.email;
  const query = useQuery({
    queryKey: ["cloud", org.slug, "members"],
    queryFn: () => cloud.members(org.slug),
  });
  const [asked, ask] = useState<"invite" | "rename" | "delete">();
  const [leaving, remove] = useState<OrgMember>();
  const [failure, setFailure] = useState<unknown>();
  const isManager = mayManage(org);
  const keys = useQuery({ queryKey: ["cloud", org.slug, "keys"], queryFn: () => cloud.keys(org.slug) });
  const { max_members: most } = org.limits;
  const count = query.data?.members.length ?? 0;
  const close = () => ask(undefined);
  const changed = async (text: string) => {
    await queries.invalidateQueries({ queryKey: ["cloud"] });
    notify(text);
  };
  const give = async (member: OrgMember, role: OrgMemberRole) => {
    setFailure(undefined);
    try {
      await cloud.changeRole(org.slug, member.id, role);
      notify(texts.changed(member.email, roleTexts[role]));
    } catch (thrown) {
      setFailure(thrown);
    }
    await queries.invalidateQueries({ queryKey: ["cloud"] });
  };
  const gone = async (text: string) => {
    // The start page chooses among the orgs that are left.
    await changed(text);
    go(cloudPath);
  };
  const isOwn = leaving?.email === own;
  const lead = query.data === undefined ? undefined : texts.lead(count, most);
  return (
    <>
      <PageHeader title={texts.title} lead={isManager ? lead : `${lead ?? ""} ${texts.managersOnly}`}>
        {isManager && (
          <Group gap="xs">
            {org.role === "owner" && (
              <Button variant="default" className="ar-danger" onClick={() => ask("delete")}>
                {texts.deleteOrg}
              </Button>
            )}
            <Button variant="default" onClick={() => ask("rename")}>
              {texts.rename}
            </Button>
            <Button onClick={() => ask("invite")}>{texts.invite}</Button>
          </Group>
        )}
      </PageHeader>
      <Invitations />
      {failure !== undefined && <FailureView thrown={failure} />}
      <Loaded query={query} rows={3}>
        {({ members }) => (
          <div className="ar-panel">
            <SideScroll>
              <PlainTable
                label={texts.title}
                columns={columnsFor({ own, role: org.role, give, remove })}
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
      {asked === "delete" && (
        <Confirm
          opened
          title={texts.deleteTitle(org.display_name)}
          text={texts.deleteText}
          action={texts.deleteOrg}
          typed={org.slug}
          onClose={close}
          onConfirm={async () => {
            await cloud.deleteOrg(org.slug);
            await gone(texts.deleted(org.display_name));
          }}
        />
      )}
      {leaving?.status === "invited" && (
        <Confirm
          opened
          title={texts.withdrawTitle(leaving.email)}
          text={texts.withdrawText}
          action={texts.withdraw}
          onClose={() => remove(undefined)}
          onConfirm={async () => {
            await cloud.removeMember(org.slug, leaving.id);
            await changed(texts.removed(leaving.email));
          }}
        />
      )}
      {leaving?.status === "active" && (
        <RemoveMemberDialog
          title={isOwn ? texts.leaveTitle(org.display_name) : texts.removeTitle(leaving.email)}
          text={isOwn ? texts.leaveText : texts.removeText}
          action={isOwn ? texts.leaveAction : texts.removeAction}
          keys={keys.data?.keys.flatMap(({ name, created_by: maker }) =>
            maker === leaving.email ? [name] : [],
          )}
          failure={keys.error}
          mayKeep={!isOwn}
          close={() => remove(undefined)}
          remove={async (keepKeys) => {
            await cloud.removeMember(org.slug, leaving.id, { keepKeys });
            if (isOwn) await gone(texts.left(org.display_name));
            else await changed(texts.removed(leaving.email));
          }}
        />
      )}
    </>
  );
}

interface Actions {
  /** E-mail address of the signed-in person. */
  own: string | undefined;
  /** The person's role in the org. */
  role: OwnOrg["role"];
  give: (member: OrgMember, role: OrgMemberRole) => void;
  remove: (member: OrgMember) => void;
}

/** Returns true if a person with a role may change or remove the member. An admin can't touch owners. */
const mayChange = ({ role }: Pick<Actions, "role">, member: OrgMember): boolean =>
  role === "owner" || (role === "admin" && member.role !== "owner");

/** Roles that the person may give. Someone who has not joined can't be an owner. */
const rolesFor = ({ role }: Pick<Actions, "role">, member: OrgMember): OrgMemberRole[] => [
  "member",
  "admin",
  ...(role === "owner" && member.status === "active" ? (["owner"] as const) : []),
];

const columnsFor = (actions: Actions): PlainColumn<OrgMember>[] => [
  {
    id: "person",
    header: texts.person,
    cell: ({ name, email }) => (
      <>
        <span className="ar-tn-strong ar-break">{name === "" ? email : name}</span>
        {email === actions.own && <span className="ar-soft"> ({texts.you})</span>}
        {name !== "" && <div className="ar-soft ar-break">{email}</div>}
      </>
    ),
  },
  {
    id: "role",
    header: texts.role,
    cell: (member) =>
      mayChange(actions, member) ? (
        <Select
          aria-label={texts.roleOf(member.email)}
          size="xs"
          w={120}
          allowDeselect={false}
          data={rolesFor(actions, member).map((role) => ({ value: role, label: roleTexts[role] }))}
          value={member.role}
          onChange={(chosen) => {
            const role = rolesFor(actions, member).find((one) => one === chosen);
            if (role !== undefined && role !== member.role) actions.give(member, role);
          }}
        />
      ) : (
        roleTexts[member.role]
      ),
  },
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
  {
    id: "actions",
    header: texts.actions,
    hidesHeader: true,
    align: "end",
    cell: (member) => <RemoveButton member={member} actions={actions} />,
  },
];

function RemoveButton({ member, actions }: { member: OrgMember; actions: Actions }) {
  const { email, status } = member;
  const isOwn = email === actions.own;
  if (!isOwn && !mayChange(actions, member)) return null;
  const [label, title] = isOwn
    ? [texts.leave, texts.leaveAction]
    : status === "invited"
      ? [texts.withdraw, texts.withdrawOf(email)]
      : [texts.remove, texts.removeOf(email)];
  return <RowButton label={label} title={title} isDanger onClick={() => actions.remove(member)} />;
}
