import { Alert, Button, Code, Group, PasswordInput, Stack, Text } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { FailureView } from "../../parts/states/failure-view.tsx";
import { CopyButton } from "../../parts/text/copy-button.tsx";
import { usePlatform } from "../../platform/use-platform.ts";
import { useSession } from "../../session/session.tsx";
import { bindingTexts as texts } from "../../texts/gateway/accounts.ts";

interface ApiKeyFieldProps {
  tenant: string;
  value: string;
  change: (key: string) => void;
  /** The key that is stored, masked; absent if there is none. */
  stored?: string | undefined;
  /** Called with true when the request for a new key starts and with false when it ends. If the form closed in between, the key would be lost. */
  hold: (isCreating: boolean) => void;
}

/** The tenant's API key for the platform. People with an account there can create one in place. */
export function ApiKeyField({ tenant, value, change, stored, hold }: ApiKeyFieldProps) {
  const platform = usePlatform(tenant);
  const queries = useQueryClient();
  const { state, signedIn } = useSession();
  const making = useMutation({
    mutationFn: () => platform.createKey(tenant, texts.apiKeyLabel),
    onMutate: () => hold(true),
    onSettled: () => hold(false),
    onSuccess: ({ rawKey }) => {
      change(rawKey);
      return queries.invalidateQueries({ queryKey: ["platform", tenant, "keys"] });
    },
  });
  const canCreate = signedIn.person !== undefined && state.services.includes("platform") && tenant !== "";
  // A key of another tenant, or one that was typed over, is not what the form sends.
  const created = making.data?.rawKey === value ? value : undefined;
  return (
    <Stack gap="xs">
      <Group gap="sm" align="flex-end">
        <PasswordInput
          flex="1 1 200px"
          label={texts.apiKey}
          description={stored === undefined ? texts.apiKeyHint : texts.keptHint(stored)}
          required={stored === undefined}
          maxLength={4096}
          autoComplete="new-password"
          value={value}
          onChange={(event) => change(event.currentTarget.value)}
        />
        {canCreate && (
          <Button
            variant="default"
            loading={making.isPending}
            disabled={created !== undefined}
            onClick={() => making.mutate()}
          >
            {texts.createKey}
          </Button>
        )}
      </Group>
      {making.isError && <FailureView thrown={making.error} />}
      {created !== undefined && (
        <Alert color="brass" variant="light" title={texts.keyCreated}>
          <Text size="sm">{texts.keyOnce}</Text>
          <Group gap={6} wrap="nowrap" align="center" mt={6}>
            <Code block className="ar-break" aria-label={texts.newKey}>
              {created}
            </Code>
            <CopyButton value={created} label={texts.copyKey} />
          </Group>
        </Alert>
      )}
    </Stack>
  );
}
