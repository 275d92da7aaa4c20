import { Anchor, Checkbox, Fieldset, PasswordInput, Select, Stack, Text, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Link, useLocation } from "wouter";
import { stringify } from "yaml";
import type { Account } from "../../../contracts/gateway/accounts.ts";
import { type ChannelName, channelNames } from "../../../contracts/gateway/channels.ts";
import type { Tagged } from "../../../contracts/tagged.ts";
import { ConflictDialog, isConflict } from "../../editor/conflict-dialog.tsx";
import { Dialog } from "../../parts/dialogs/dialog.tsx";
import { FormDialog } from "../../parts/dialogs/form-dialog.tsx";
import { notify } from "../../parts/notices.tsx";
import { Loaded } from "../../parts/states/loaded.tsx";
import { credentialTexts, externalIdHints, accountTexts as texts } from "../../texts/gateway/accounts.ts";
import { channelTexts } from "../../texts/gateway/gateway.ts";
import { gatewayPaths } from "../gateway-paths.ts";
import { useGateway } from "../use-gateway.ts";
import { TenantField } from "./tenant-field.tsx";

/** Credentials of each channel, the required one first. The server checks their form. */
const credentialsOf: Readonly<Record<ChannelName, readonly string[]>> = {
  phone_messenger: ["access_token", "app_secret", "verify_token"],
  bot_messenger: ["bot_token"],
  photo_social: ["access_token", "app_secret", "verify_token"],
  webchat: [],
  echo: [],
};

const optional: ReadonlySet<string> = new Set(["app_secret", "verify_token"]);

interface AccountDialogProps {
  /** Absent for a new account. */
  account?: Account;
  begun?: BegunAccount;
  close: () => void;
}

/** What a new account begins with, and the agent that is to answer it. */
interface BegunAccount {
  channel: ChannelName;
  tenant: string;
  agent: string;
}

/** Creates an account, or replaces the credentials of one. Stored credentials are never shown, so they can't be kept in part. */
export function AccountDialog({ account, begun, close }: AccountDialogProps) {
  const gateway = useGateway();
  const query = useQuery({
    queryKey: ["gateway", "account", account?.id, "to edit"],
    queryFn: () => gateway.readAccount(account?.id ?? ""),
    enabled: account !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  if (account === undefined) return <AccountForm {...(begun && { begun })} close={close} />;
  if (query.data !== undefined) return <AccountForm read={query.data} close={close} />;
  return (
    <Dialog opened size="lg" onClose={close} title={texts.replaceTitle(account.external_id)}>
      <Loaded query={query}>{() => null}</Loaded>
    </Dialog>
  );
}

interface AccountFormProps {
  /** The account as read; absent for a new one. */
  read?: Tagged<Account>;
  begun?: BegunAccount;
  close: () => void;
}

function AccountForm({ read, begun, close }: AccountFormProps) {
  const gateway = useGateway();
  const queries = useQueryClient();
  const [, go] = useLocation();
  // The version that the form began with, even if a newer one is read meanwhile.
  const [base, setBase] = useState(read);
  const [isConflicting, conflict] = useDisclosure(false);
  const account = base?.value;
  const [channel, setChannel] = useState<ChannelName>(
    account?.channel ?? begun?.channel ?? "phone_messenger",
  );
  const [tenant, setTenant] = useState(account?.tenant_id ?? begun?.tenant ?? "");
  const [externalId, setExternalId] = useState(account?.external_id ?? "");
  const [secrets, setSecrets] = useState<Readonly<Record<string, string>>>({});
  const [isEmulated, setEmulated] = useState(account?.emulated ?? false);
  /** The account that has the external id already. */
  const [existing, setExisting] = useState<Account>();
  const names = credentialsOf[channel];
  const isComplete =
    tenant.trim() !== "" &&
    externalId.trim() !== "" &&
    names.every((name) => optional.has(name) || (secrets[name] ?? "") !== "");
  const save = async (match?: string) => {
    const given = names.flatMap((name) => {
      const value = secrets[name] ?? "";
      return value === "" ? [] : [[name, value] as const];
    });
    const input = {
      tenant_id: tenant.trim(),
      channel,
      external_id: externalId.trim(),
      credentials: Object.fromEntries(given),
      emulated: isEmulated,
    };
    const saved = await gateway.saveAccount(input, match);
    await queries.invalidateQueries({ queryKey: ["gateway"] });
    notify(texts.saved(saved.external_id));
    if (account !== undefined) return;
    go(
      begun === undefined ? gatewayPaths.account(saved.id) : gatewayPaths.bindAccount(saved.id, begun.agent),
    );
  };
  const send = async () => {
    if (account === undefined) {
      // The gateway would replace the credentials of an account that has this id.
      const { accounts } = await gateway.listAccounts(tenant.trim(), { channel });
      const found = accounts.find(({ external_id }) => external_id === externalId.trim());
      setExisting(found);
      if (found !== undefined) throw new Error(texts.exists(found.external_id));
    }
    try {
      await save(base?.tag);
    } catch (thrown) {
      if (account !== undefined && isConflict(thrown)) conflict.open();
      throw thrown;
    }
  };
  if (account !== undefined && isConflicting) {
    return (
      <ConflictDialog<Account>
        mine={accountText(
          names,
          Object.fromEntries(names.map((name) => [name, typedText(secrets[name])])),
          isEmulated,
        )}
        textOf={(theirs) => accountText(names, theirs.credentials, theirs.emulated)}
        language="yaml"
        read={() => gateway.readAccount(account.id)}
        keepMine={async ({ tag }) => {
          await save(tag);
          close();
        }}
        takeTheirs={(theirs) => {
          setBase(theirs);
          setSecrets({});
          setEmulated(theirs.value.emulated);
        }}
        close={conflict.close}
      />
    );
  }
  return (
    <FormDialog
      size="lg"
      title={account === undefined ? texts.add : texts.replaceTitle(account.external_id)}
      action={account === undefined ? texts.addAction : texts.replaceAction}
      isComplete={isComplete}
      close={close}
      send={send}
    >
      {account === undefined && (
        <>
          <Select
            label={texts.channel}
            required
            allowDeselect={false}
            data={channelNames.map((name) => ({ value: name, label: channelTexts[name] }))}
            value={channel}
            onChange={(value) => setChannel(channelNames.find((name) => name === value) ?? channel)}
          />
          <TenantField value={tenant} change={setTenant} />
          <TextInput
            label={texts.externalId}
            description={externalIdHints[channel]}
            required
            maxLength={255}
            autoComplete="off"
            value={externalId}
            error={
              existing !== undefined &&
              existing.external_id === externalId.trim() &&
              existing.channel === channel &&
              existing.tenant_id === tenant.trim() && (
                <Anchor component={Link} inherit href={gatewayPaths.account(existing.id)}>
                  {texts.openExisting(existing.external_id)}
                </Anchor>
              )
            }
            onChange={(event) => setExternalId(event.currentTarget.value)}
          />
        </>
      )}
      <Fieldset legend={texts.credentials}>
        <Stack gap="sm">
          <Text size="sm" className="ar-soft">
            {names.length === 0 ? texts.noCredentials : texts.credentialsHint}
          </Text>
          {names.map((name) => (
            <PasswordInput
              key={`${channel} ${name}`}
              label={credentialTexts[name]?.label ?? name}
              description={credentialTexts[name]?.hint}
              required={!optional.has(name)}
              maxLength={4096}
              autoComplete="new-password"
              value={secrets[name] ?? ""}
              onChange={(event) => {
                const { value } = event.currentTarget;
                setSecrets((now) => ({ ...now, [name]: value }));
              }}
            />
          ))}
        </Stack>
      </Fieldset>
      <Checkbox
        label={texts.emulated}
        description={texts.emulatedHint}
        checked={isEmulated}
        onChange={(event) => setEmulated(event.currentTarget.checked)}
      />
    </FormDialog>
  );
}

/** Says whether a new credential was typed, without showing it. */
const typedText = (typed = "") => (typed === "" ? texts.credentialRemoved : texts.credentialNew);

/** An account's credentials, masked, and its mode as text, for a comparison. */
const accountText = (
  names: readonly string[],
  credentials: Readonly<Record<string, string>>,
  isEmulated: boolean,
): string =>
  stringify({
    ...Object.fromEntries(names.map((name) => [name, credentials[name] ?? texts.credentialRemoved])),
    emulated: isEmulated,
  });
