import { Alert, Button, Code, Group, Stack } from "@mantine/core";
import type { AccountLink } from "../../../contracts/platform/auth.ts";
import { CopyButton } from "../../parts/text/copy-button.tsx";
import { linkTexts } from "../../texts/platform/operator.ts";

interface LinkOnceProps {
  link: AccountLink;
  texts: {
    onceTitle: string;
    once: (email: string) => string;
    secret: string;
    copy: string;
    kept: string;
  };
  close: () => void;
}

/** A link for a person, which the server shows only once. */
export function LinkOnce({ link: { email, path, mailed }, texts, close }: LinkOnceProps) {
  const url = `${location.origin}${path}`;
  return (
    <Stack gap="md">
      <Alert color="brass" variant="light" title={texts.onceTitle}>
        <span className="ar-break">{mailed ? linkTexts.mailed(email) : texts.once(email)}</span>
      </Alert>
      <Group gap={6} wrap="nowrap" align="center">
        <Code block className="ar-break ar-tn-secret" aria-label={texts.secret}>
          {url}
        </Code>
        <CopyButton value={url} label={texts.copy} />
      </Group>
      <Group justify="flex-end">
        <Button onClick={close}>{texts.kept}</Button>
      </Group>
    </Stack>
  );
}
