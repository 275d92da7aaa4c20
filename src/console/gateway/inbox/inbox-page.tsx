import { Button } from "@mantine/core";
import { useHotkeys } from "@mantine/hooks";
import { useQueryClient } from "@tanstack/react-query";
import { useMemo, useReducer, useState } from "react";
import type { GatewayEvent } from "../../../contracts/gateway/events.ts";
import { useUrlState } from "../../parts/address/use-url-state.ts";
import { Icon } from "../../parts/icon.tsx";
import { PageHeader } from "../../parts/layout/page-header.tsx";
import { inboxTexts as texts } from "../../texts/gateway/inbox.ts";
import { replyTexts } from "../../texts/gateway/reply.ts";
import { useFollow } from "../follow-gateway.ts";
import { LiveMark } from "../live-mark.tsx";
import { ConversationList } from "./conversation-list.tsx";
import { ConversationView } from "./conversation-view.tsx";
import { createDraftBook } from "./drafts.ts";
import { countsKey } from "./list-filters.tsx";
import { NewMessageDialog } from "./new-message-dialog.tsx";
import { useNotices } from "./use-notices.ts";
import { usePerson } from "./use-person.ts";
import { conversationKey, entriesKey, threadKey } from "./use-thread.ts";
import { useTitleBadge } from "./use-title-badge.ts";

/** Conversations with users: the list, and the chosen one. New messages arrive by the stream. */
export default function InboxPage() {
  const queries = useQueryClient();
  const [chosen, choose] = useUrlState("c", { push: true });
  const [tenant] = useUrlState("tenant");
  const [isWriting, write] = useState(false);
  const drafts = useDrafts();
  const notices = useNotices(choose);
  useTitleBadge();
  const follow = (events: readonly GatewayEvent[]) => {
    void notices.tell(events);
    if (events.some(({ about }) => about === "stream")) {
      return queries.invalidateQueries({ queryKey: ["gateway"] });
    }
    const isListed = events.some(({ about, change }) => about === "conversation" || change === "received");
    const isDecided = events.some(
      ({ change }) => change === "desk" || change === "failed" || change === "seen",
    );
    const changed = new Set(events.map(({ conversation_id }) => conversation_id));
    // A receipt names its message alone.
    const isOpen = chosen !== "" && (changed.has(chosen) || events.some(({ about }) => about === "outbound"));
    const keys = [
      ...(isListed ? [["gateway", "conversations"]] : []),
      ...(isDecided ? [countsKey] : []),
      ...(isOpen ? [threadKey(chosen), conversationKey(chosen), entriesKey(chosen)] : []),
    ];
    return Promise.all(keys.map((queryKey) => queries.invalidateQueries({ queryKey })));
  };
  const live = useFollow(follow, { whileHidden: notices.state === "on" });
  useHotkeys([
    ["j", () => step(1)],
    ["k", () => step(-1)],
    ["u", openUnread],
    ["n", () => write(true)],
  ]);
  return (
    <>
      <PageHeader title={texts.title} mark={<LiveMark state={live} />} lead={texts.lead}>
        {notices.state === "refused" && <span className="ar-soft">{texts.notify.refused}</span>}
        {(notices.state === "on" || notices.state === "off") && (
          <Button size="xs" variant="subtle" onClick={() => void notices.turn()}>
            {texts.notify[notices.state]}
          </Button>
        )}
        <Button
          size="xs"
          variant="default"
          leftSection={<Icon name="plus" />}
          aria-keyshortcuts="N"
          onClick={() => write(true)}
        >
          {replyTexts.newMessage}
        </Button>
      </PageHeader>
      <div className="ar-inbox" data-open={chosen !== "" || undefined}>
        <ConversationList chosen={chosen} choose={choose} />
        {chosen === "" ? (
          <ChooseOne />
        ) : (
          <ConversationView
            key={chosen}
            id={chosen}
            draft={drafts.read(chosen)}
            setDraft={(change) => drafts.keep(chosen, change(drafts.read(chosen)))}
            close={() => choose("")}
          />
        )}
      </div>
      {isWriting && <NewMessageDialog tenant={tenant} close={() => write(false)} open={choose} />}
    </>
  );
}

/** The drafts of this person. They outlast the view and the page. */
function useDrafts() {
  const me = usePerson();
  const book = useMemo(() => createDraftBook(sessionStorage, me ?? ""), [me]);
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  return {
    read: book.read,
    keep(conversation: string, draft: Parameters<typeof book.keep>[1]) {
      book.keep(conversation, draft);
      redraw();
    },
  };
}

function ChooseOne() {
  return (
    <div className="ar-inbox-none">
      <p>{texts.chooseOne}</p>
      <dl className="ar-inbox-keys">
        {texts.keys.map(({ keys, action }) => (
          <div key={action}>
            <dt>
              {keys.map((key) => (
                <kbd key={key} className="ar-key">
                  {key}
                </kbd>
              ))}
            </dt>
            <dd className="ar-soft">{action}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

const rowsShown = () => [...document.querySelectorAll<HTMLButtonElement>(".ar-inbox-row")];
const chosenAmong = (rows: readonly HTMLButtonElement[]) =>
  rows.findIndex((row) => row.getAttribute("aria-current") === "true");

function openRow(row: HTMLButtonElement | undefined): void {
  row?.click();
  row?.scrollIntoView({ block: "nearest" });
}

/** Opens the next conversation of the list, or the one before. */
function step(by: 1 | -1): void {
  const rows = rowsShown();
  const at = chosenAmong(rows);
  openRow(rows[at === -1 ? 0 : at + by]);
}

/** Opens the next unread conversation below the chosen one, or else the first of all. */
function openUnread(): void {
  const rows = rowsShown();
  const at = chosenAmong(rows);
  const unread = rows.filter(({ dataset }) => dataset.unread !== undefined);
  openRow(unread.find((row) => rows.indexOf(row) > at) ?? unread[0]);
}
