import {
  Anchor,
  Button,
  Code,
  Divider,
  Group,
  Paper,
  PasswordInput,
  Stack,
  Text,
  TextInput,
  Title,
} from "@mantine/core";
import { useState } from "react";
import { languages } from "../../contracts/console/language.ts";
import type { ConsoleState } from "../../contracts/console/session.ts";
import { useAreas } from "../area.ts";
import { BrandMark } from "../design/brand-mark.tsx";
import { chooseLanguage, languageNames } from "../parts/choose-language.ts";
import { FailureView } from "../parts/states/failure-view.tsx";
import { OfflineBanner } from "../parts/states/offline-banner.tsx";
import { language } from "../parts/text/locale.ts";
import { shellTexts, signInTexts as texts } from "../texts/shell.ts";
import { CloudForms } from "./cloud-forms.tsx";
import type { Session } from "./session.tsx";
import { useSubmit } from "./use-submit.ts";

interface SignInProps {
  state: ConsoleState;
  /** True if the session of this page ended by itself. */
  hasEnded?: boolean;
  failure?: unknown;
  signIn: Session["signIn"];
}

/** All sign-in methods of this server. */
export default function SignInPage({
  state: { ways, home },
  hasEnded = false,
  failure,
  signIn,
}: SignInProps) {
  const Frame = hasEnded ? "div" : "main";
  return (
    <Frame className="ar-sign-in">
      <Paper withBorder p="xl" w="100%" maw={420}>
        <Stack gap="lg">
          <Stack gap={6} align="flex-start">
            <span className="ar-accent">
              <BrandMark size={34} />
            </span>
            <Title order={1}>{texts.title}</Title>
          </Stack>
          <OfflineBanner />
          {hasEnded && <Text role="status">{texts.ended}</Text>}
          {failure !== undefined && <FailureView thrown={failure} />}
          {ways.open && <OpenForm home={home} signIn={signIn} />}
          {home === "cloud" && ways.cloud && <CloudForms ways={ways.cloud} signIn={signIn} />}
          <SignInForms ways={ways} signIn={signIn} />
          {home !== "cloud" && ways.cloud && <CloudForms ways={ways.cloud} signIn={signIn} />}
          <Divider />
          <Stack gap={4}>
            <Title order={2} size="h3">
              {texts.linkTitle}
            </Title>
            <Text size="sm" className="ar-soft">
              {texts.linkHint}
            </Text>
            <Code block>{texts.linkCommand}</Code>
          </Stack>
          <Group gap="md" component="nav" aria-label={shellTexts.language}>
            {languages
              .filter((name) => name !== language)
              .map((name) => (
                <Anchor
                  key={name}
                  component="button"
                  size="sm"
                  lang={name}
                  onClick={() => chooseLanguage(name)}
                >
                  {languageNames[name]}
                </Anchor>
              ))}
          </Group>
        </Stack>
      </Paper>
    </Frame>
  );
}

/** The forms alone, also for a session that needs more permissions. */
export function SignInForms({ ways, signIn }: Pick<ConsoleState, "ways"> & Pick<Session, "signIn">) {
  return (
    <>
      {ways.person && <PersonForm mayRegister={ways.registration} signIn={signIn} />}
      {ways.token && <TokenForm signIn={signIn} />}
    </>
  );
}

/** The form for a user who has signed out of a server that requires no credential. */
function OpenForm({ home, signIn }: Pick<ConsoleState, "home"> & Pick<Session, "signIn">) {
  const area = useAreas().find(({ service }) => service === home)?.title ?? "";
  const { failure, isBusy, submit } = useSubmit(() => signIn({}));
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <Title order={2} size="h3">
          {texts.openTitle}
        </Title>
        <Text size="sm" className="ar-soft">
          {texts.openHint(area)}
        </Text>
        {failure !== undefined && <FailureView thrown={failure} />}
        <Button type="submit" variant="light" loading={isBusy}>
          {texts.openArea(area)}
        </Button>
      </Stack>
    </form>
  );
}

function PersonForm({ mayRegister, signIn }: { mayRegister: boolean; signIn: Session["signIn"] }) {
  const [isNew, setNew] = useState(false);
  const [form, setForm] = useState({ email: "", password: "", name: "" });
  const { failure, isBusy, submit } = useSubmit(() =>
    signIn({
      email: form.email,
      password: form.password,
      ...(isNew ? { display_name: form.name } : {}),
    }),
  );
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <Title order={2} size="h3">
          {isNew ? texts.registerTitle : texts.personTitle}
        </Title>
        {isNew && (
          <TextInput
            label={texts.name}
            required
            autoComplete="name"
            value={form.name}
            onChange={(event) => setForm({ ...form, name: event.currentTarget.value })}
          />
        )}
        <TextInput
          label={texts.email}
          type="email"
          required
          autoComplete="username"
          value={form.email}
          onChange={(event) => setForm({ ...form, email: event.currentTarget.value })}
        />
        <PasswordInput
          label={texts.password}
          description={isNew ? texts.passwordHint : undefined}
          required
          autoComplete={isNew ? "new-password" : "current-password"}
          value={form.password}
          onChange={(event) => setForm({ ...form, password: event.currentTarget.value })}
        />
        {failure !== undefined && <FailureView thrown={failure} />}
        <Button type="submit" loading={isBusy}>
          {isNew ? texts.register : texts.signIn}
        </Button>
        {mayRegister && (
          <Anchor component="button" type="button" size="sm" onClick={() => setNew(!isNew)}>
            {isNew ? texts.toSignIn : texts.toRegister}
          </Anchor>
        )}
      </Stack>
    </form>
  );
}

function TokenForm({ signIn }: Pick<Session, "signIn">) {
  const tokens = useAreas().flatMap(({ token }) => token ?? []);
  const [token, setToken] = useState("");
  const { failure, isBusy, submit } = useSubmit(() => signIn({ token }));
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <Title order={2} size="h3">
          {texts.tokenTitle}
        </Title>
        <PasswordInput
          label={texts.token}
          description={texts.tokenHint(tokens)}
          required
          autoComplete="off"
          value={token}
          onChange={(event) => setToken(event.currentTarget.value)}
        />
        {failure !== undefined && <FailureView thrown={failure} />}
        <Button type="submit" variant="light" loading={isBusy}>
          {texts.useToken}
        </Button>
      </Stack>
    </form>
  );
}
