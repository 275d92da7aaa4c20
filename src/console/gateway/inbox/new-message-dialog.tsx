import { SegmentedControl, Select, Stack, Textarea, TextInput } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Account } from "../../../contracts/gateway/accounts.ts";
import type { Template } from "../../../contracts/gateway/messages.ts";
import { Dialog } from "../../parts/dialogs/dialog.tsx";
import { DialogForm } from "../../parts/dialogs/form-dialog.tsx";
import { FailureView } from "../../parts/states/failure-view.tsx";
import { randomHex } from "../../parts/text/random-hex.ts";
import { channelTexts } from "../../texts/gateway/gateway.ts";
import { replyTexts as texts } from "../../texts/gateway/reply.ts";
import { useSetup } from "../accounts/use-setup.ts";
import { TenantFilter } from "../tenant-filter.tsx";
import { directoryKey } from "../use-directory.ts";
import { useDesk, useGateway } from "../use-gateway.ts";
import { TemplateForm } from "./template-form.tsx";

interface NewMessageDialogProps {
  /** The tenant that the list shows; "" for all. */
  tenant: string;
  close: () => void;
  /** Called with the conversation that the message is in. */
  open: (conversation: string) => void;
}

/** The first message to a user: from one of the tenant's accounts, as a text or a template. */
export function NewMessageDialog({ tenant: shown, close, open }: NewMessageDialogProps) {
  const gateway = useGateway();
  const queries = useQueryClient();
  const setup = useSetup();
  const desk = useDesk();
  const [tenant, setTenant] = useState(desk?.id ?? shown);
  const [accountId, setAccountId] = useState<string | null>(null);
  const [to, setTo] = useState("");
  const [text, setText] = useState("");
  const [way, setWay] = useState<"text" | "template">("text");
  const [key, setKey] = useState(() => randomHex(16));
  const directory = useQuery({
    queryKey: [...directoryKey, "of", tenant],
    queryFn: () => gateway.directory({ tenant, limit: 200 }),
    enabled: tenant !== "",
  });
  const accounts = (directory.data?.entries ?? []).map(({ account }) => account);
  const account =
    accounts.find(({ id }) => id === accountId) ?? (accounts.length === 1 ? accounts[0] : undefined);
  const hasTemplates =
    setup.data?.channels.find(({ channel }) => channel === account?.channel)?.has_templates === true;
  const isReady = account !== undefined && to.trim() !== "";
  const send = async (content: { text: string } | { template: Template }) => {
    if (account === undefined) return;
    const { channel, tenant_id } = account;
    await gateway.send(
      { tenant_id, channel, recipient: to.trim(), ...content },
      { account_id: account.id, idempotencyKey: key },
    );
    await queries.invalidateQueries({ queryKey: ["gateway", "conversations"] });
    const found = await gateway.listConversations({ tenant: tenant_id, channel, q: to.trim() });
    const begun = found.conversations.find(({ account_id }) => account_id === account.id);
    if (begun !== undefined) open(begun.id);
  };
  const templating = useMutation({
    mutationFn: (template: Template) => send({ template }),
    onSuccess: close,
  });
  /** Another content or receiver makes another message. */
  const changing =
    <Value,>(set: (value: Value) => void) =>
    (value: Value) => {
      set(value);
      setKey(randomHex(16));
    };
  const fields = (
    <>
      {desk === undefined && (
        <TenantFilter label={texts.tenant} value={tenant} choose={changing(setTenant)} />
      )}
      <Select
        label={texts.account}
        required
        disabled={tenant === ""}
        data={accounts.map((one) => ({ value: one.id, label: labelOf(one) }))}
        {...(directory.data !== undefined && accounts.length === 0 && { error: texts.noAccounts })}
        value={account?.id ?? null}
        onChange={changing(setAccountId)}
      />
      <TextInput
        label={texts.to}
        description={texts.toHint}
        required
        maxLength={255}
        value={to}
        onChange={(event) => changing(setTo)(event.currentTarget.value)}
      />
      {hasTemplates && (
        <SegmentedControl
          size="xs"
          aria-label={texts.message}
          value={way}
          data={[
            { value: "text", label: texts.message },
            { value: "template", label: texts.template },
          ]}
          onChange={setWay}
        />
      )}
    </>
  );
  return (
    <Dialog opened onClose={close} title={texts.newTitle} closeOnClickOutside={to === "" && text === ""}>
      {way === "template" && hasTemplates && account !== undefined ? (
        <Stack>
          {fields}
          {templating.isError && <FailureView thrown={templating.error} />}
          <TemplateForm
            account={account.id}
            isSending={templating.isPending || !isReady}
            send={templating.mutate}
          />
        </Stack>
      ) : (
        <DialogForm
          action={texts.send}
          isComplete={isReady && text.trim() !== ""}
          send={() => send({ text })}
          sent={close}
          cancel={close}
        >
          {fields}
          <Textarea
            label={texts.message}
            required
            autosize
            minRows={2}
            maxRows={8}
            maxLength={65_536}
            value={text}
            onChange={(event) => changing(setText)(event.currentTarget.value)}
          />
        </DialogForm>
      )}
    </Dialog>
  );
}

const labelOf = ({ channel, external_id, status }: Account): string =>
  `${channelTexts[channel]} ${external_id}${status === "paused" ? texts.paused : ""}`;
