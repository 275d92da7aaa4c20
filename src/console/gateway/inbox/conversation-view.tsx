import { Button, Loader } from "@mantine/core";
import { useHotkeys } from "@mantine/hooks";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo, useState } from "react";
import { Link } from "wouter";
import type { Conversation } from "../../../contracts/gateway/admin.ts";
import { Icon } from "../../parts/icon.tsx";
import { Facts } from "../../parts/layout/facts.tsx";
import { FailureView } from "../../parts/states/failure-view.tsx";
import { Loaded } from "../../parts/states/loaded.tsx";
import { readNextPage } from "../../parts/tables/list-pages.ts";
import { escapeUnseenName } from "../../parts/text/escape-unseen.ts";
import { Instant } from "../../parts/text/instant.tsx";
import { StatusBadge } from "../../parts/text/status-badge.tsx";
import { TenantName } from "../../tenants/tenant-name.tsx";
import { inboxTexts as texts } from "../../texts/gateway/inbox.ts";
import { ChannelLabel } from "../channel-label.tsx";
import { gatewayPaths } from "../gateway-paths.ts";
import { useGateway } from "../use-gateway.ts";
import { joinAlbums } from "./albums.ts";
import { DeskBar } from "./desk-bar.tsx";
import { DeskNotes } from "./desk-notes.tsx";
import { MessageBubble } from "./message-bubble.tsx";
import { ReplyBox, type ReplyBoxProps } from "./reply-box.tsx";
import { conversationKey, inOrder, useConversation, useThread } from "./use-thread.ts";
import { useThreadScroll } from "./use-thread-scroll.ts";

interface ConversationViewProps extends Omit<ReplyBoxProps, "conversation"> {
  id: string;
  close: () => void;
}

/** One conversation: its messages, who answers it, and the field for a reply. */
export function ConversationView({ id, close, ...reply }: ConversationViewProps) {
  const conversation = useConversation(id);
  useSeen(id);
  return (
    <section className="ar-inbox-thread" aria-label={texts.conversation}>
      <Loaded query={conversation}>
        {(found) => (
          <>
            <ThreadHead conversation={found} close={close} />
            <Messages key={id} id={id} />
            <ReplyBox conversation={found} {...reply} />
          </>
        )}
      </Loaded>
      {conversation.isError && conversation.data === undefined && (
        <Button variant="default" size="xs" onClick={close}>
          {texts.back}
        </Button>
      )}
    </section>
  );
}

/** Tells the gateway that an operator has read the conversation, when it opens and with each new message. */
function useSeen(id: string): void {
  const gateway = useGateway();
  const queries = useQueryClient();
  const thread = useThread(id);
  const newest = thread.data?.pages[0]?.messages[0]?.id;
  useEffect(() => {
    if (newest === undefined || document.visibilityState !== "visible") return;
    gateway.markSeen(id).then(
      () => queries.invalidateQueries({ queryKey: ["gateway", "conversations"] }),
      // Then it stays unread, and the banner tells if the server is away.
      () => undefined,
    );
  }, [gateway, queries, id, newest]);
}

function ThreadHead({ conversation, close }: { conversation: Conversation; close: () => void }) {
  const gateway = useGateway();
  const queries = useQueryClient();
  const [opened, open] = useState<"click" | "key">();
  const isOpen = opened !== undefined;
  const { id, mode, channel } = conversation;
  const isHuman = mode === "human";
  const change = useMutation({
    mutationFn: () => (isHuman ? gateway.release(id) : gateway.takeOver(id)),
    onSuccess: (changed) => {
      queries.setQueryData(conversationKey(id), changed);
      return queries.invalidateQueries({ queryKey: ["gateway", "conversations"] });
    },
  });
  useHotkeys([
    ["t", () => change.mutate()],
    ["l", () => open("key")],
  ]);
  return (
    <div className="ar-inbox-head">
      <div className="ar-inbox-title">
        <Button
          className="ar-inbox-back"
          variant="subtle"
          size="compact-sm"
          color="gray"
          aria-label={texts.back}
          onClick={close}
        >
          ←
        </Button>
        <h2 dir="auto">{escapeUnseenName(conversation.contact_name ?? conversation.external_user)}</h2>
        <StatusBadge tone={isHuman ? "warn" : "accent"}>{texts.modes[mode]}</StatusBadge>
        <span className="ar-inbox-actions">
          <Button
            size="xs"
            variant="default"
            aria-expanded={isOpen}
            onClick={() => open(isOpen ? undefined : "click")}
          >
            {texts.details}
          </Button>
          <Button
            size="xs"
            variant={isHuman ? "default" : "filled"}
            aria-keyshortcuts="T"
            loading={change.isPending}
            onClick={() => change.mutate()}
          >
            {isHuman ? texts.release : texts.takeOver}
          </Button>
        </span>
      </div>
      <div className="ar-soft ar-inbox-sub">
        <ChannelLabel channel={channel} /> · {conversation.external_user} ·{" "}
        <TenantName id={conversation.tenant_id} />
        {conversation.agent_name !== null && <> · {texts.servedBy(conversation.agent_name)}</>}
      </div>
      <DeskBar conversation={conversation} close={close} />
      {change.isError && <FailureView thrown={change.error} />}
      {isOpen && (
        <div className="ar-inbox-details">
          <DeskNotes conversation={conversation} isFocused={opened === "key"} />
          <Facts
            facts={[
              { label: texts.address, value: conversation.external_user },
              ...(conversation.contact_id == null
                ? []
                : [
                    {
                      label: texts.contact,
                      value: (
                        <Link href={gatewayPaths.contact(conversation.contact_id)}>{texts.showContact}</Link>
                      ),
                    },
                  ]),
              { label: texts.tenant, value: <TenantName id={conversation.tenant_id} /> },
              { label: texts.session, value: <span className="ar-mono">{conversation.session_id}</span> },
              { label: texts.since, value: <Instant iso={conversation.created_at} /> },
              {
                label: texts.trail,
                value: <Link href={gatewayPaths.trail(conversation.external_user)}>{texts.whereAre}</Link>,
              },
            ]}
          />
        </div>
      )}
    </div>
  );
}

function Messages({ id }: { id: string }) {
  const thread = useThread(id);
  const { data } = thread;
  const messages = useMemo(() => inOrder(data?.pages ?? []), [data]);
  const shown = useMemo(() => joinAlbums(messages), [messages]);
  const { box, scrolled } = useThreadScroll(messages);
  return (
    <div
      className="ar-inbox-messages"
      ref={box}
      role="log"
      aria-label={texts.messages}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
      tabIndex={0}
      onScroll={scrolled}
    >
      <Loaded query={thread} rows={4}>
        {() => (
          <>
            {thread.hasNextPage && (
              <Button
                variant="subtle"
                size="xs"
                mx="auto"
                leftSection={thread.isFetchingNextPage ? <Loader size="xs" /> : <Icon name="down" />}
                onClick={() => void readNextPage(thread)}
              >
                {texts.earlier}
              </Button>
            )}
            {messages.length === 0 && <p className="ar-soft">{texts.noMessages}</p>}
            {shown.map((one, at) => (
              <MessageBubble key={one.message.id} shown={one} before={shown[at - 1]} />
            ))}
          </>
        )}
      </Loaded>
    </div>
  );
}
