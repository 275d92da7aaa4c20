import { Anchor, Button, Paper, PasswordInput, Stack, Text, Title } from "@mantine/core";
import { useState } from "react";
import { BrandMark } from "../design/brand-mark.tsx";
import { FailureView } from "../parts/states/failure-view.tsx";
import { OfflineBanner } from "../parts/states/offline-banner.tsx";
import { passwordLinkTexts as texts } from "../texts/shell.ts";
import type { Session } from "./session.tsx";
import { useSubmit } from "./use-submit.ts";

interface PasswordLinkPageProps {
  token: string;
  signIn: Session["signIn"];
  leave: () => void;
}

/** The page that an operator's link opens: the person chooses a password, which signs them in. */
export default function PasswordLinkPage({ token, signIn, leave }: PasswordLinkPageProps) {
  const [password, setPassword] = useState("");
  const { failure, isBusy, submit } = useSubmit(async () => {
    await signIn({ password_link: token, password });
    leave();
  });
  return (
    <main className="ar-sign-in">
      <Paper withBorder p="xl" w="100%" maw={420}>
        <form onSubmit={submit}>
          <Stack gap="lg">
            <Stack gap={6} align="flex-start">
              <span className="ar-accent">
                <BrandMark size={34} />
              </span>
              <Title order={1}>{texts.title}</Title>
              <Text className="ar-soft">{texts.lead}</Text>
            </Stack>
            <OfflineBanner />
            <PasswordInput
              label={texts.password}
              description={texts.hint}
              required
              minLength={8}
              autoComplete="new-password"
              data-autofocus
              value={password}
              onChange={(event) => setPassword(event.currentTarget.value)}
            />
            {failure !== undefined && <FailureView thrown={failure} />}
            <Button type="submit" loading={isBusy}>
              {texts.action}
            </Button>
            <Anchor component="button" type="button" size="sm" onClick={leave}>
              {texts.leave}
            </Anchor>
          </Stack>
        </form>
      </Paper>
    </main>
  );
}
