import { Redirect } from "wouter";
import { Loaded } from "../parts/states/loaded.tsx";
import { useSession } from "../session/session.tsx";
import { cloudSignInPath, orgPaths } from "./cloud-paths.ts";
import { useOrgSlug } from "./org-slug.ts";
import { useOrgs } from "./use-cloud.ts";

/** Redirects to the org last shown, to the user's first org, or to the sign-in. */
export default function StartPage() {
  const { signedIn } = useSession();
  const last = useOrgSlug();
  const query = useOrgs();
  if (signedIn.cloud !== true) return <Redirect to={cloudSignInPath} replace />;
  return (
    <Loaded query={query}>
      {({ orgs }) => {
        const org = orgs.find(({ slug }) => slug === last) ?? orgs[0];
        return <Redirect to={org === undefined ? cloudSignInPath : orgPaths(org.slug).agents} replace />;
      }}
    </Loaded>
  );
}
