import { ActionIcon, Button, Switch, Textarea, Tooltip } from "@mantine/core";
import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import type { Account } from "../../../contracts/gateway/accounts.ts";
import type { ConversationMessage } from "../../../contracts/gateway/admin.ts";
import { userAddress } from "../../../contracts/gateway/user-address.ts";
import { Icon } from "../../parts/icon.tsx";
import { isSendKey } from "../../parts/inputs/send-key.ts";
import { FailureView } from "../../parts/states/failure-view.tsx";
import { formatTime } from "../../parts/text/format.ts";
import { channelTexts } from "../../texts/gateway/gateway.ts";
import { inboxTexts } from "../../texts/gateway/inbox.ts";
import { phoneTexts as texts } from "../../texts/gateway/phone.ts";
import { useGateway } from "../use-gateway.ts";
import { faults, type PlayFault, playMessage } from "./play-message.ts";
import { useReceipts } from "./use-receipts.ts";

const shownMessages = 60;

interface PhoneViewProps {
  account: Account;
  from: string;
  name: string;
  /** The provider's id of the message whose steps are shown. */
  chosen: string;
  choose: (channelMessageId: string) => void;
}

/** The customer's phone: the conversation as they see it, the field to write, and the faults. */
export function PhoneView({ account, from, name, chosen, choose }: PhoneViewProps) {
  const gateway = useGateway();
  const queries = useQueryClient();
  const [text, setText] = useState("");
  const [reads, setReads] = useState(true);
  const messages = usePhoneMessages(account, from);
  useReceipts(account, messages, reads);
  const sending = useMutation({
    mutationFn: ({ text, fault }: { text: string; fault?: PlayFault }) => {
      const said = text.trim() === "" ? texts.fallbackText : text;
      return playMessage(gateway, { account, from, name, text: said }, fault);
    },
    onSuccess: (id, sent) => {
      // Keep what was typed while this message was being sent.
      setText((now) => (now === sent.text ? "" : now));
      choose(id);
      return queries.invalidateQueries({ queryKey: ["gateway", "phone"] });
    },
  });
  const last = messages.at(-1);
  const isWaiting = last?.direction === "inbound" && last.channel_message_id === chosen;
  return (
    <div className="ar-phone-side">
      <section
        className="ar-phone"
        data-channel={account.channel}
        aria-label={texts.phone(channelTexts[account.channel])}
      >
        <div className="ar-phone-head">
          <span className="ar-phone-face" aria-hidden="true">
            {channelTexts[account.channel].slice(0, 1)}
          </span>
          <span className="ar-phone-title">
            <strong className="ar-clip">{account.external_id}</strong>
            <small>{isWaiting ? texts.typing : channelTexts[account.channel]}</small>
          </span>
        </div>
        <Screen messages={messages} chosen={chosen} choose={choose} />
        <form
          className="ar-phone-write"
          onSubmit={(event) => {
            event.preventDefault();
            if (text.trim() !== "" && !sending.isPending) sending.mutate({ text });
          }}
        >
          <Textarea
            aria-label={texts.write}
            placeholder={texts.writePlaceholder}
            autosize
            minRows={1}
            maxRows={4}
            maxLength={65_536}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (!isSendKey(event)) return;
              event.preventDefault();
              event.currentTarget.form?.requestSubmit();
            }}
          />
          <ActionIcon
            type="submit"
            size={36}
            radius="xl"
            aria-label={texts.send}
            disabled={text.trim() === ""}
          >
            <Icon name="send" />
          </ActionIcon>
        </form>
      </section>
      {sending.isError && <FailureView thrown={sending.error} />}
      <fieldset className="ar-phone-faults">
        <legend>{texts.faults}</legend>
        <p className="ar-soft">{texts.faultsHint}</p>
        <div>
          {faults.map((fault) => (
            <Tooltip key={fault} label={texts.fault[fault].hint} multiline maw={240}>
              <Button
                size="xs"
                variant="default"
                disabled={sending.isPending}
                onClick={() => sending.mutate({ text, fault })}
              >
                {texts.fault[fault].label}
              </Button>
            </Tooltip>
          ))}
        </div>
        <Switch
          size="xs"
          label={texts.reads}
          description={texts.readsHint}
          checked={reads}
          onChange={(event) => setReads(event.currentTarget.checked)}
        />
      </fieldset>
    </div>
  );
}

/** Returns the messages of the customer's conversation, the oldest first. */
function usePhoneMessages(account: Account, from: string): ConversationMessage[] {
  const gateway = useGateway();
  const query = useQuery({
    queryKey: ["gateway", "phone", account.id, from],
    queryFn: async () => {
      const { conversations } = await gateway.listConversations({
        tenant: account.tenant_id,
        channel: account.channel,
        q: from,
        limit: 200,
      });
      const conversation = conversations.find(
        ({ account_id, external_user }) =>
          account_id === account.id && external_user === userAddress(account.channel, from),
      );
      if (conversation === undefined) return [];
      const { messages } = await gateway.listMessages(conversation.id, {
        order: "newest",
        limit: shownMessages,
      });
      return messages.toReversed();
    },
    placeholderData: keepPreviousData,
  });
  return query.data ?? [];
}

interface ScreenProps {
  messages: readonly ConversationMessage[];
  chosen: string;
  choose: (channelMessageId: string) => void;
}

const arrived: ReadonlySet<string> = new Set(["sent", "delivered", "read", "played"]);

function Screen({ messages, chosen, choose }: ScreenProps) {
  const box = useRef<HTMLDivElement>(null);
  const newest = messages.at(-1)?.id;
  const newestStatus = messages.at(-1)?.status;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new message, or its arrival, moves the view
  useEffect(() => {
    if (box.current !== null) box.current.scrollTop = box.current.scrollHeight;
  }, [newest, newestStatus]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
    <div className="ar-phone-screen" ref={box} role="log" aria-label={texts.messages} tabIndex={0}>
      {messages.length === 0 && <p className="ar-soft ar-phone-empty">{texts.empty}</p>}
      {messages.map((message) =>
        message.direction === "inbound" ? (
          <OwnMessage
            key={message.id}
            message={message}
            isChosen={message.channel_message_id === chosen}
            choose={choose}
          />
        ) : (
          (arrived.has(message.status) || message.status === "failed") && (
            <Reply key={message.id} message={message} />
          )
        ),
      )}
    </div>
  );
}

interface OwnMessageProps {
  message: ConversationMessage;
  isChosen: boolean;
  choose: (channelMessageId: string) => void;
}

/** A message of the customer; pressing it shows its steps. */
function OwnMessage({ message, isChosen, choose }: OwnMessageProps) {
  const { channel_message_id: id, at } = message;
  return (
    <button
      type="button"
      className="ar-phone-bubble"
      data-side="customer"
      aria-pressed={isChosen}
      title={texts.showSteps}
      disabled={id === null}
      onClick={() => id !== null && choose(id)}
    >
      <span className="ar-break">{contentOf(message)}</span>
      <time dateTime={at}>{formatTime(at)}</time>
    </button>
  );
}

function Reply({ message }: { message: ConversationMessage }) {
  const hasFailed = message.status === "failed";
  return (
    <div className="ar-phone-bubble" data-side="account" data-failed={hasFailed || undefined}>
      <span className="ar-break">{hasFailed ? texts.notArrived : contentOf(message)}</span>
      <time dateTime={message.at}>{formatTime(message.at)}</time>
    </div>
  );
}

function contentOf({ text, media, kind }: ConversationMessage): string {
  const files = media.map(
    ({ kind: of, file_name }) =>
      `[${inboxTexts.kindOf(of)}${file_name === undefined ? "" : `: ${file_name}`}]`,
  );
  const said = [...files, text].filter((part) => part.trim() !== "").join("\n");
  return said === "" ? inboxTexts.kindOf(kind) : said;
}
