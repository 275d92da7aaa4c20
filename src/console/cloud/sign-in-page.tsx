import { Paper, Stack } from "@mantine/core";
import { useLocation } from "wouter";
import { PageHeader } from "../parts/layout/page-header.tsx";
import { FailureView } from "../parts/states/failure-view.tsx";
import { CloudForms } from "../session/cloud-forms.tsx";
import { useSession } from "../session/session.tsx";
import { orgTexts as texts } from "../texts/cloud/cloud.ts";
import { cloudPath } from "./cloud-paths.ts";
import { useOrgs } from "./use-cloud.ts";

/** Signs the session in to the cloud, also with another account. Vendors' sign-in pages return here. */
export default function SignInPage() {
  const { state, signIn, failure } = useSession();
  const [, go] = useLocation();
  const { data } = useOrgs();
  return (
    <>
      <PageHeader
        title={texts.title}
        lead={data?.email === undefined ? texts.lead : texts.signedInAs(data.email)}
      />
      <Paper withBorder p="lg" maw={420}>
        <Stack gap="lg">
          {failure !== undefined && <FailureView thrown={failure} title={texts.notSignedIn} />}
          <CloudForms
            ways={state.ways.cloud ?? { dev: false, google: false, github: false }}
            signIn={signIn}
            done={() => go(cloudPath)}
          />
        </Stack>
      </Paper>
    </>
  );
}
