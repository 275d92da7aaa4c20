import { Button } from "@mantine/core";
import { useState } from "react";
import { Redirect } from "wouter";
import { PageHeader } from "../parts/layout/page-header.tsx";
import { EmptyState } from "../parts/states/empty-state.tsx";
import { Loaded } from "../parts/states/loaded.tsx";
import { useSession } from "../session/session.tsx";
import { orgTexts as texts } from "../texts/cloud/cloud.ts";
import { cloudSignInPath, orgPaths } from "./cloud-paths.ts";
import { Invitations } from "./invitations.tsx";
import { NewOrgDialog } from "./new-org-dialog.tsx";
import { useOrgSlug } from "./org-slug.ts";
import { useOrgs } from "./use-cloud.ts";

/** Redirects to the org last shown, to the user's first org, or to the sign-in. A person without an org may create or join one. */
export default function StartPage() {
  const { signedIn } = useSession();
  const last = useOrgSlug();
  const query = useOrgs();
  if (signedIn.cloud !== true) return <Redirect to={cloudSignInPath} replace />;
  return (
    <Loaded query={query}>
      {({ orgs }) => {
        const org = orgs.find(({ slug }) => slug === last) ?? orgs[0];
        return org === undefined ? <NoOrg /> : <Redirect to={orgPaths(org.slug).agents} replace />;
      }}
    </Loaded>
  );
}

function NoOrg() {
  const [isCreating, setCreating] = useState(false);
  return (
    <>
      <PageHeader title={texts.noOrgTitle} />
      <Invitations />
      <EmptyState text={texts.noOrg}>
        <Button onClick={() => setCreating(true)}>{texts.create}</Button>
      </EmptyState>
      {isCreating && <NewOrgDialog close={() => setCreating(false)} />}
    </>
  );
}
