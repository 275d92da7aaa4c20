import { Button } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useLocation } from "wouter";
import type { Invitation, Member, MemberRole } from "../../../../contracts/platform/members.ts";
import { Confirm } from "../../../parts/dialogs/confirm.tsx";
import { RemoveMemberDialog } from "../../../parts/dialogs/remove-member-dialog.tsx";
import { PageHeader } from "../../../parts/layout/page-header.tsx";
import { Panel } from "../../../parts/layout/panel.tsx";
import { notify } from "../../../parts/notices.tsx";
import { FailureView } from "../../../parts/states/failure-view.tsx";
import { Loaded } from "../../../parts/states/loaded.tsx";
import { useSession } from "../../../session/session.tsx";
import { tenantMemberTexts as texts } from "../../../texts/platform/tenant-members.ts";
import { usePlatform } from "../../use-platform.ts";
import { RightNote, useRights } from "../rights.tsx";
import { type TenantPageProps, tenantPage } from "../tenant-page.tsx";
import { tenantsPath } from "../tenant-paths.ts";
import { tenantsKey } from "../use-tenants.ts";
import { InvitationTable } from "./invitation-table.tsx";
import { InviteDialog } from "./invite-dialog.tsx";
import { MemberTable } from "./member-table.tsx";
import { rolesUpTo } from "./role-select.tsx";

export default tenantPage(MembersPage);

function MembersPage({ tenant }: TenantPageProps) {
  const platform = usePlatform(tenant.id);
  const queries = useQueryClient();
  const [, go] = useLocation();
  const { signedIn } = useSession();
  const { role } = tenant;
  const isManager = useRights()("members");
  const queryKey = ["platform", tenant.id, "members"];
  const members = useQuery({ queryKey, queryFn: () => platform.listMembers(tenant.id) });
  const invitations = useQuery({
    queryKey: [...queryKey, "invitations"],
    queryFn: () => platform.listInvitations(tenant.id),
    enabled: isManager,
  });
  const keysKey = ["platform", tenant.id, "keys"];
  const keys = useQuery({ queryKey: keysKey, queryFn: () => platform.listKeys(tenant.id) });
  const [isInviting, setInviting] = useState(false);
  const [removed, remove] = useState<Member>();
  const [withdrawn, withdraw] = useState<Invitation>();
  const [failure, setFailure] = useState<unknown>();
  const changed = () => queries.invalidateQueries({ queryKey });
  const own = signedIn.person?.id;
  const give = async (member: Member, given: MemberRole) => {
    setFailure(undefined);
    try {
      await platform.changeRole(tenant.id, member.user_id, given);
      notify(texts.changed(member.display_name, texts.roles[given]));
    } catch (thrown) {
      setFailure(thrown);
    }
    await changed();
    if (member.user_id === own) await queries.invalidateQueries({ queryKey: tenantsKey });
  };
  const isLeaving = removed?.user_id === own;
  return (
    <>
      <PageHeader title={texts.title} lead={texts.lead(tenant.displayName)}>
        {isManager && <Button onClick={() => setInviting(true)}>{texts.invite}</Button>}
      </PageHeader>
      <RightNote right="members" />
      <div className="ar-stack">
        {failure !== undefined && <FailureView thrown={failure} />}
        <Loaded query={members} rows={3}>
          {({ members: all }) => (
            <div className="ar-panel">
              <MemberTable
                members={all}
                own={own}
                {...(isManager && { roles: rolesUpTo(role), give })}
                remove={remove}
              />
            </div>
          )}
        </Loaded>
        {invitations.data !== undefined && invitations.data.invitations.length > 0 && (
          <Panel title={texts.invitations} flush>
            <InvitationTable invitations={invitations.data.invitations} withdraw={withdraw} />
          </Panel>
        )}
      </div>
      {isInviting && (
        <InviteDialog
          tenantId={tenant.id}
          roles={rolesUpTo(role)}
          invited={() => void changed()}
          close={() => setInviting(false)}
        />
      )}
      {removed !== undefined && (
        <RemoveMemberDialog
          title={isLeaving ? texts.leaveTitle(tenant.displayName) : texts.removeTitle(removed.display_name)}
          text={isLeaving ? texts.leaveText : texts.removeText}
          action={isLeaving ? texts.leaveAction : texts.removeAction}
          keys={keys.data?.keys.flatMap(({ label, created_by: maker }) =>
            maker === removed.email ? [label] : [],
          )}
          failure={keys.error}
          mayKeep={!isLeaving}
          close={() => remove(undefined)}
          remove={async (keepKeys) => {
            await platform.removeMember(tenant.id, removed.user_id, { keepKeys });
            notify(isLeaving ? texts.left(tenant.displayName) : texts.removed(removed.display_name));
            await queries.invalidateQueries({ queryKey: keysKey });
            if (!isLeaving) return changed();
            go(tenantsPath);
            await queries.invalidateQueries({ queryKey: tenantsKey });
          }}
        />
      )}
      {withdrawn !== undefined && (
        <Confirm
          opened
          title={texts.withdrawTitle(withdrawn.email)}
          text={texts.withdrawText}
          action={texts.withdrawAction}
          onClose={() => withdraw(undefined)}
          onConfirm={async () => {
            await platform.withdrawInvitation(tenant.id, withdrawn.id);
            await changed();
            notify(texts.withdrawn(withdrawn.email));
          }}
        />
      )}
    </>
  );
}
