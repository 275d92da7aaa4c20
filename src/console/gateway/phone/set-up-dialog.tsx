import { PasswordInput, Text } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { ChannelName } from "../../../contracts/gateway/channels.ts";
import { FormDialog } from "../../parts/dialogs/form-dialog.tsx";
import { notify } from "../../parts/notices.tsx";
import { bindingTexts } from "../../texts/gateway/accounts.ts";
import { phoneTexts as texts } from "../../texts/gateway/phone.ts";
import { AgentField } from "../accounts/binding-dialog.tsx";
import { TenantField } from "../accounts/tenant-field.tsx";
import { useGateway } from "../use-gateway.ts";

/** Accounts to create. Their credentials have the right form and open nothing. */
const emulated: readonly { channel: ChannelName; credentials: Record<string, string> }[] = [
  { channel: "webchat", credentials: {} },
  { channel: "photo_social", credentials: { access_token: "emulated-token" } },
  { channel: "bot_messenger", credentials: { bot_token: "1000001:emulated-token" } },
  { channel: "phone_messenger", credentials: { access_token: "emulated-token" } },
];

/** Creates an emulated account for each channel, answered by one agent. What exists already stays. */
export function SetUpDialog({ close }: { close: () => void }) {
  const gateway = useGateway();
  const queries = useQueryClient();
  const [tenant, setTenant] = useState("");
  const [agent, setAgent] = useState("");
  const [key, setKey] = useState("");
  const send = async () => {
    const id = tenant.trim();
    for (const { channel, credentials } of emulated) {
      const name = channel === "bot_messenger" ? "1000001" : `demo-${id}`.slice(0, 255);
      const account = await gateway.saveAccount({
        tenant_id: id,
        channel,
        external_id: name,
        credentials,
        emulated: true,
      });
      const { binding } = await gateway.directoryEntry(account.id);
      const input = { entry_agent: agent.trim(), config: { platform_api_key: key } };
      if (binding !== null) await gateway.changeBinding(binding.id, input);
      else await gateway.createBinding({ tenant_id: id, account_id: account.id, ...input });
    }
    await queries.invalidateQueries({ queryKey: ["gateway"] });
    notify(texts.created);
  };
  return (
    <FormDialog
      title={texts.setUp}
      action={texts.setUpAction}
      isComplete={tenant.trim() !== "" && agent.trim() !== "" && key !== ""}
      close={close}
      send={send}
    >
      <Text className="ar-soft">{texts.setUpHint}</Text>
      <TenantField value={tenant} change={setTenant} />
      <AgentField tenant={tenant.trim()} value={agent} change={setAgent} />
      <PasswordInput
        label={bindingTexts.apiKey}
        description={bindingTexts.apiKeyHint}
        required
        maxLength={4096}
        autoComplete="new-password"
        value={key}
        onChange={(event) => setKey(event.currentTarget.value)}
      />
    </FormDialog>
  );
}
