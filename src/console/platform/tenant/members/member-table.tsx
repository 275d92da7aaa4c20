import type { Member, MemberRole } from "../../../../contracts/platform/members.ts";
import { type PlainColumn, PlainTable } from "../../../parts/tables/plain-table.tsx";
import { RowButton } from "../../../parts/tables/row-button.tsx";
import { Instant } from "../../../parts/text/instant.tsx";
import { tenantMemberTexts as texts } from "../../../texts/platform/tenant-members.ts";
import { RoleSelect } from "./role-select.tsx";

interface MemberTableProps extends Actions {
  members: readonly Member[];
}

interface Actions {
  /** Id of the signed-in person, if the table marks them. */
  own?: string | undefined;
  /** Roles that the person may give; absent for one who may not manage members. */
  roles?: readonly MemberRole[];
  give?: (member: Member, role: MemberRole) => void;
  /** Removes a member, or the person themselves; absent in a table that is only read. */
  remove?: (member: Member) => void;
}

/** The members of a tenant with their roles. */
export const MemberTable = ({ members, ...actions }: MemberTableProps) => (
  <PlainTable
    label={texts.title}
    columns={columnsFor(actions)}
    rows={members}
    keyOf={({ user_id }) => user_id}
  />
);

const columnsFor = ({ own, roles, give, remove }: Actions): PlainColumn<Member>[] => [
  {
    id: "person",
    header: texts.person,
    cell: ({ user_id, display_name, email }) => (
      <>
        <span className="ar-tn-strong ar-break">{display_name}</span>
        {user_id === own && <span className="ar-soft"> ({texts.you})</span>}
        <div className="ar-soft ar-break">{email}</div>
      </>
    ),
  },
  {
    id: "role",
    header: texts.role,
    cell: (member) =>
      // An admin can't change an owner's role.
      roles?.includes(member.role) && give !== undefined ? (
        <RoleSelect
          label={texts.roleOf(member.display_name)}
          value={member.role}
          roles={roles}
          change={(role) => give(member, role)}
        />
      ) : (
        texts.roles[member.role]
      ),
  },
  {
    id: "joined",
    header: texts.joined,
    from: "md",
    cell: ({ joined_at }) => <Instant iso={joined_at} />,
  },
  ...(remove === undefined ? [] : [removal(remove, own, roles)]),
];

const removal = (
  remove: (member: Member) => void,
  own: string | undefined,
  roles: readonly MemberRole[] | undefined,
): PlainColumn<Member> => ({
  id: "actions",
  header: texts.actions,
  hidesHeader: true,
  align: "end",
  cell: (member) => {
    const isOwn = member.user_id === own;
    if (!isOwn && !roles?.includes(member.role)) return null;
    return (
      <RowButton
        label={isOwn ? texts.leave : texts.remove}
        title={isOwn ? texts.leaveAction : texts.removeTitle(member.display_name)}
        isDanger
        onClick={() => remove(member)}
      />
    );
  },
});
