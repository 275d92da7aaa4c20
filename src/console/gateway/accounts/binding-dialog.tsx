import {
  Anchor,
  Autocomplete,
  Checkbox,
  PasswordInput,
  SegmentedControl,
  Stack,
  Text,
  Textarea,
  TextInput,
} from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "wouter";
import type { Account } from "../../../contracts/gateway/accounts.ts";
import type { Binding } from "../../../contracts/gateway/bindings.ts";
import type { Tagged } from "../../../contracts/tagged.ts";
import { ConflictDialog, isConflict } from "../../editor/conflict-dialog.tsx";
import { Dialog } from "../../parts/dialogs/dialog.tsx";
import { FormDialog } from "../../parts/dialogs/form-dialog.tsx";
import { Loaded } from "../../parts/states/loaded.tsx";
import { tenantPaths } from "../../platform/tenant/tenant-paths.ts";
import { useTenants } from "../../platform/tenant/use-tenants.ts";
import { usePlatform } from "../../platform/use-platform.ts";
import { useSession } from "../../session/session.tsx";
import { bindingTexts as texts } from "../../texts/gateway/accounts.ts";
import { useGateway } from "../use-gateway.ts";
import { ApiKeyField } from "./api-key-field.tsx";
import { type BindingDraft, bindingChange, bindingInput, draftOf, draftText } from "./binding-draft.ts";

interface BindingDialogProps {
  account: Account;
  binding: Binding | null;
  /** The agent of a new binding; empty: none yet. */
  agent?: string;
  saved: () => Promise<unknown>;
  close: () => void;
}

/** Binds an account to an agent or a callback, or changes its binding. The server checks the agent and the key. */
export function BindingDialog({ binding, ...parts }: BindingDialogProps) {
  const gateway = useGateway();
  const query = useQuery({
    queryKey: ["gateway", "binding", binding?.id, "to edit"],
    queryFn: () => gateway.readBinding(binding?.id ?? ""),
    enabled: binding !== null,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  if (binding === null) return <BindingForm {...parts} />;
  if (query.data !== undefined) return <BindingForm {...parts} read={query.data} />;
  return (
    <Dialog opened size="lg" onClose={parts.close} title={texts.bindTitle(parts.account.external_id)}>
      <Loaded query={query}>{() => null}</Loaded>
    </Dialog>
  );
}

interface BindingFormProps extends Omit<BindingDialogProps, "binding"> {
  /** The binding as read; absent for a new one. */
  read?: Tagged<Binding>;
}

function BindingForm({ account, read, agent = "", saved, close }: BindingFormProps) {
  const gateway = useGateway();
  // The version that the form began with, even if a newer one is read meanwhile.
  const [base, setBase] = useState(read);
  const binding = base?.value ?? null;
  const [draft, setDraft] = useState<BindingDraft>(() => ({
    ...draftOf(binding),
    ...(binding === null && { agent }),
  }));
  const [isConflicting, conflict] = useDisclosure(false);
  const [isHeld, setHeld] = useState(false);
  const put = (change: Partial<BindingDraft>) => setDraft((now) => ({ ...now, ...change }));
  const stored = binding?.config ?? {};
  const isComplete =
    draft.kind === "callback"
      ? draft.callbackUrl.trim() !== ""
      : draft.agent.trim() !== "" && (draft.apiKey !== "" || stored.platform_api_key !== undefined);
  const send = async () => {
    if (binding === null) await gateway.createBinding(bindingInput(account, draft));
    else {
      try {
        await gateway.changeBinding(binding.id, bindingChange(binding, draft), base?.tag);
      } catch (thrown) {
        if (isConflict(thrown)) conflict.open();
        throw thrown;
      }
    }
    await saved();
  };
  if (binding !== null && isConflicting) {
    return (
      <ConflictDialog<Binding>
        mine={draftText(draft)}
        textOf={(theirs) => draftText(draftOf(theirs))}
        language="yaml"
        read={() => gateway.readBinding(binding.id)}
        keepMine={async ({ value, tag }) => {
          await gateway.changeBinding(value.id, bindingChange(value, draft), tag);
          await saved();
          close();
        }}
        takeTheirs={(theirs) => {
          setBase(theirs);
          setDraft(draftOf(theirs.value));
        }}
        close={conflict.close}
      />
    );
  }
  return (
    <FormDialog
      size="lg"
      title={texts.bindTitle(account.external_id)}
      action={texts.save}
      isComplete={isComplete}
      isDirty={draft.apiKey !== ""}
      isHeld={isHeld}
      close={close}
      send={send}
    >
      <SegmentedControl
        aria-label={texts.kind}
        value={draft.kind}
        data={[
          { value: "agent", label: texts.agent },
          { value: "callback", label: texts.callback },
        ]}
        onChange={(kind) => put({ kind: kind === "callback" ? "callback" : "agent" })}
      />
      {draft.kind === "agent" ? (
        <Stack gap="sm">
          <AgentField tenant={account.tenant_id} value={draft.agent} change={(agent) => put({ agent })} />
          <ApiKeyField
            tenant={account.tenant_id}
            value={draft.apiKey}
            change={(apiKey) => put({ apiKey })}
            stored={stored.platform_api_key}
            hold={setHeld}
          />
          <Textarea
            label={texts.fallback}
            description={texts.fallbackHint}
            autosize
            minRows={2}
            maxRows={6}
            maxLength={4096}
            value={draft.fallback}
            onChange={(event) => put({ fallback: event.currentTarget.value })}
          />
          {account.channel === "bot_messenger" && (
            <Checkbox
              label={texts.askContact}
              checked={draft.asksContact}
              onChange={(event) => put({ asksContact: event.currentTarget.checked })}
            />
          )}
          <Text size="sm" className="ar-soft">
            {texts.checked}
          </Text>
        </Stack>
      ) : (
        <Stack gap="sm">
          <TextInput
            label={texts.callbackUrl}
            description={texts.callbackUrlHint}
            type="url"
            required
            maxLength={2048}
            value={draft.callbackUrl}
            onChange={(event) => put({ callbackUrl: event.currentTarget.value })}
          />
          <PasswordInput
            label={texts.callbackSecret}
            description={
              stored.callback_secret === undefined
                ? texts.callbackSecretHint
                : texts.keptHint(stored.callback_secret)
            }
            maxLength={4096}
            autoComplete="new-password"
            value={draft.callbackSecret}
            onChange={(event) => put({ callbackSecret: event.currentTarget.value })}
          />
        </Stack>
      )}
    </FormDialog>
  );
}

interface AgentFieldProps {
  tenant: string;
  value: string;
  change: (agent: string) => void;
}

/** The agent's name, with the tenant's agents as suggestions if the session may see them. */
export function AgentField({ tenant, value, change }: AgentFieldProps) {
  const platform = usePlatform();
  const { state, signedIn } = useSession();
  const query = useQuery({
    queryKey: ["platform", "admin", "agents", "names"],
    queryFn: () => platform.listAllAgents({ limit: 200 }),
    enabled: signedIn.operator && state.services.includes("platform"),
  });
  const { data } = useTenants();
  const tenants = data?.tenants;
  const names = query.data?.agents
    .filter(({ tenant_id, status }) => tenant_id === tenant && status !== "deleted")
    .map(({ name }) => name);
  return (
    <div>
      <Autocomplete
        label={texts.entryAgent}
        description={texts.entryAgentHint}
        required
        maxLength={63}
        autoComplete="off"
        data={[...new Set(names)]}
        value={value}
        onChange={change}
      />
      {names?.length === 0 && tenants?.some(({ id }) => id === tenant) && (
        <Text size="sm" mt={4}>
          {texts.noAgents}{" "}
          <Anchor component={Link} href={tenantPaths(tenant).newAgent}>
            {texts.createAgent}
          </Anchor>
        </Text>
      )}
    </div>
  );
}
