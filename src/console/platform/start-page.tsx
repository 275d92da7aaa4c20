import { Paper, Stack } from "@mantine/core";
import { Redirect } from "wouter";
import { useUrlState } from "../parts/address/use-url-state.ts";
import { PageHeader } from "../parts/layout/page-header.tsx";
import { Loaded } from "../parts/states/loaded.tsx";
import { useSession } from "../session/session.tsx";
import { SignInForms } from "../session/sign-in-page.tsx";
import { startTexts as texts } from "../texts/platform/tenant.ts";
import { operatorPath } from "./platform-paths.ts";
import { tenantPaths, tenantsPath } from "./tenant/tenant-paths.ts";
import { useTenants } from "./tenant/use-tenants.ts";
import { useTenantId } from "./tenant-id.ts";

/** Redirects to the user's side of the platform, or shows the sign-in page. */
export default function StartPage() {
  const { signedIn } = useSession();
  const [wish] = useUrlState("as");
  if (signedIn.operator && wish !== "person") return <Redirect to={operatorPath} replace />;
  if (signedIn.person !== undefined) return <ToTenant />;
  return <SignIn />;
}

function ToTenant() {
  const query = useTenants();
  const last = useTenantId();
  return (
    <Loaded query={query}>
      {({ tenants }) => {
        const tenant = tenants.find(({ id }) => id === last);
        return <Redirect to={tenant === undefined ? tenantsPath : tenantPaths(tenant.id).agents} replace />;
      }}
    </Loaded>
  );
}

function SignIn() {
  const { state, signIn } = useSession();
  return (
    <>
      <PageHeader title={texts.title} lead={texts.lead} />
      <Paper withBorder p="lg" maw={420}>
        <Stack gap="lg">
          <SignInForms ways={state.ways} signIn={signIn} />
        </Stack>
      </Paper>
    </>
  );
}
