import { Alert, Button, Group } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useLocation } from "wouter";
import type { OrgInvitation } from "../../contracts/cloud/orgs.ts";
import { Icon } from "../parts/icon.tsx";
import { notify } from "../parts/notices.tsx";
import { FailureView } from "../parts/states/failure-view.tsx";
import { orgTexts as texts } from "../texts/cloud/cloud.ts";
import { orgPaths } from "./cloud-paths.ts";
import { useCloud } from "./use-cloud.ts";

/** Open invitations of the signed-in person; nothing without any. */
export function Invitations() {
  const cloud = useCloud();
  const { data } = useQuery({ queryKey: ["cloud", "invitations"], queryFn: () => cloud.invitations() });
  return data?.invitations.map((invitation) => <InvitationView key={invitation.id} {...invitation} />);
}

function InvitationView({ id, org_name, org_slug, role }: OrgInvitation) {
  const cloud = useCloud();
  const queries = useQueryClient();
  const [, go] = useLocation();
  const accept = useMutation({
    mutationFn: () => cloud.acceptInvitation(id),
    async onSuccess() {
      await queries.invalidateQueries({ queryKey: ["cloud"] });
      notify(texts.accepted(org_name));
      go(orgPaths(org_slug).agents);
    },
  });
  const decline = useMutation({
    mutationFn: () => cloud.declineInvitation(id),
    async onSuccess() {
      await queries.invalidateQueries({ queryKey: ["cloud", "invitations"] });
      notify(texts.declined(org_name));
    },
  });
  const isBusy = accept.isPending || decline.isPending;
  return (
    <Alert
      variant="outline"
      mb="md"
      icon={<Icon name="users" />}
      role="region"
      aria-label={texts.invited(org_name, role)}
    >
      <Group justify="space-between">
        <span className="ar-break">{texts.invited(org_name, role)}</span>
        <Group gap="xs">
          <Button size="xs" variant="default" disabled={isBusy} onClick={() => decline.mutate()}>
            {texts.decline}
          </Button>
          <Button size="xs" loading={accept.isPending} disabled={isBusy} onClick={() => accept.mutate()}>
            {texts.accept}
          </Button>
        </Group>
      </Group>
      {accept.isError && <FailureView thrown={accept.error} />}
      {decline.isError && <FailureView thrown={decline.error} />}
    </Alert>
  );
}
