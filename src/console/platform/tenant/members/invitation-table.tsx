import type { Invitation } from "../../../../contracts/platform/members.ts";
import { type PlainColumn, PlainTable } from "../../../parts/tables/plain-table.tsx";
import { RowButton } from "../../../parts/tables/row-button.tsx";
import { Instant } from "../../../parts/text/instant.tsx";
import { tenantMemberTexts as texts } from "../../../texts/platform/tenant-members.ts";

interface InvitationTableProps {
  invitations: readonly Invitation[];
  withdraw: (invitation: Invitation) => void;
}

/** Invitations that nobody has accepted yet. */
export const InvitationTable = ({ invitations, withdraw }: InvitationTableProps) => (
  <PlainTable
    label={texts.invitations}
    columns={columnsFor(withdraw)}
    rows={invitations}
    keyOf={({ id }) => id}
  />
);

const columnsFor = (withdraw: InvitationTableProps["withdraw"]): PlainColumn<Invitation>[] => [
  { id: "email", header: texts.email, className: "ar-break", cell: ({ email }) => email },
  { id: "role", header: texts.role, cell: ({ role }) => texts.roles[role] },
  {
    id: "expires",
    header: texts.expires,
    from: "md",
    cell: ({ expires_at }) => <Instant iso={expires_at} />,
  },
  {
    id: "actions",
    header: texts.actions,
    hidesHeader: true,
    align: "end",
    cell: (invitation) => (
      <RowButton
        label={texts.withdraw}
        title={texts.withdrawTitle(invitation.email)}
        isDanger
        onClick={() => withdraw(invitation)}
      />
    ),
  },
];
