import { Select } from "@mantine/core";
import { type MemberRole, memberRoles } from "../../../../contracts/platform/members.ts";
import { tenantMemberTexts as texts } from "../../../texts/platform/tenant-members.ts";

interface RoleSelectProps {
  /** Name of the field; with `hint` also shown, with what the role may do. */
  label: string;
  hint?: true;
  value: MemberRole;
  roles: readonly MemberRole[];
  change: (role: MemberRole) => void;
}

/** A role among those that the caller may give. */
export function RoleSelect({ label, hint, value, roles, change }: RoleSelectProps) {
  return (
    <Select
      {...(hint
        ? { label, description: texts.roleHints[value] }
        : { "aria-label": label, size: "xs", w: 120 })}
      allowDeselect={false}
      data={roles.map((role) => ({ value: role, label: texts.roles[role] }))}
      value={value}
      onChange={(chosen) => {
        const role = memberRoles.find((one) => one === chosen);
        if (role !== undefined && role !== value) change(role);
      }}
    />
  );
}

/** Roles that a person with a role may give: their own and those below it. */
export const rolesUpTo = (role: MemberRole): MemberRole[] =>
  memberRoles.slice(0, memberRoles.indexOf(role) + 1);
