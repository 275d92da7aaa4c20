import { Code, Paper, Stack, Text } from "@mantine/core";
import { PageHeader } from "../parts/layout/page-header.tsx";
import { FailureView } from "../parts/states/failure-view.tsx";
import { shellTexts, signInTexts as texts } from "../texts/shell.ts";
import { CloudForms } from "./cloud-forms.tsx";
import { useSession } from "./session.tsx";
import { SignInForms } from "./sign-in-page.tsx";

/** The sign-in in place of a page that this session may not see. The address stays, so the page follows the sign-in. */
export default function SignInNeededView({ service }: { service: string }) {
  const { state, signIn, failure } = useSession();
  const { ways } = state;
  return (
    <>
      <PageHeader title={shellTexts.signInNeeded} />
      <Paper withBorder p="lg" maw={420}>
        <Stack gap="lg">
          {failure !== undefined && <FailureView thrown={failure} title={texts.failed} />}
          {service === "cloud" && ways.cloud !== undefined && (
            <CloudForms ways={ways.cloud} signIn={signIn} />
          )}
          {service !== "cloud" && <SignInForms ways={ways} signIn={signIn} />}
          <Text size="sm" className="ar-soft">
            {texts.linkHint}
          </Text>
          <Code block>{texts.linkCommand}</Code>
        </Stack>
      </Paper>
    </>
  );
}
