import { Button, Stack, Text, TextInput, Title } from "@mantine/core";
import { useState } from "react";
import type { CloudSignIn, CloudVendor } from "../../contracts/console/session.ts";
import { useServer } from "../api/use-server.tsx";
import { FailureView } from "../parts/states/failure-view.tsx";
import { cloudSignInTexts as texts } from "../texts/shell.ts";
import type { Session } from "./session.tsx";
import { useSubmit } from "./use-submit.ts";
import { keepVendor } from "./vendor-return.ts";

interface CloudFormsProps {
  ways: CloudSignIn;
  signIn: Session["signIn"];
  /** Called when the session has the cloud's account. */
  done?: () => void;
}

/** All ways to sign in to the cloud on this server. */
export function CloudForms({ ways, signIn, done }: CloudFormsProps) {
  const isNone = !ways.dev && !ways.google && !ways.github;
  return (
    <Stack gap="sm">
      <Title order={2} size="h3">
        {texts.title}
      </Title>
      {ways.google && <VendorButton vendor="google" />}
      {ways.github && <VendorButton vendor="github" />}
      {ways.dev && <DevForm signIn={signIn} done={done} />}
      {isNone && (
        <Text size="sm" className="ar-soft">
          {texts.none}
        </Text>
      )}
    </Stack>
  );
}

function VendorButton({ vendor }: { vendor: CloudVendor }) {
  const { session } = useServer();
  const { failure, isBusy, submit } = useSubmit(async () => {
    const { url, state } = await session.startVendor(vendor);
    if (!/^https?:$/.test(URL.parse(url)?.protocol ?? "")) throw new Error(texts.badAddress);
    keepVendor(state, vendor);
    location.assign(url);
  });
  return (
    <form onSubmit={submit}>
      {failure !== undefined && <FailureView thrown={failure} />}
      <Button type="submit" variant="default" fullWidth loading={isBusy}>
        {texts.with[vendor]}
      </Button>
    </form>
  );
}

function DevForm({ signIn, done }: { signIn: Session["signIn"]; done: (() => void) | undefined }) {
  const [email, setEmail] = useState("");
  const [name, setName] = useState("");
  const { failure, isBusy, submit } = useSubmit(async () => {
    await signIn({ cloud: { email, name: name.trim() === "" ? email : name } });
    done?.();
  });
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <Text size="sm" className="ar-soft">
          {texts.devHint}
        </Text>
        <TextInput
          label={texts.email}
          type="email"
          required
          autoComplete="username"
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
        />
        <TextInput
          label={texts.name}
          autoComplete="name"
          maxLength={255}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        {failure !== undefined && <FailureView thrown={failure} />}
        <Button type="submit" variant="light" loading={isBusy}>
          {texts.signIn}
        </Button>
      </Stack>
    </form>
  );
}
