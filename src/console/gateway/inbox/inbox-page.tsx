import { useHotkeys } from "@mantine/hooks";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useUrlState } from "../../parts/address/use-url-state.ts";
import { PageHeader } from "../../parts/layout/page-header.tsx";
import { inboxTexts as texts } from "../../texts/gateway/inbox.ts";
import { useFollow } from "../follow-gateway.ts";
import { LiveMark } from "../live-mark.tsx";
import { ConversationList } from "./conversation-list.tsx";
import { ConversationView } from "./conversation-view.tsx";
import type { ReplyDraft } from "./reply-box.tsx";
import { conversationKey, entriesKey, threadKey } from "./use-thread.ts";

/** Conversations with users: the list, and the chosen one. New messages arrive by the stream. */
export default function InboxPage() {
  const queries = useQueryClient();
  const [chosen, choose] = useUrlState("c", { push: true });
  // Kept here, because another conversation replaces the view.
  const [drafts, setDrafts] = useState<Readonly<Record<string, ReplyDraft>>>({});
  const live = useFollow((events) => {
    if (events.some(({ about }) => about === "stream")) {
      return queries.invalidateQueries({ queryKey: ["gateway"] });
    }
    const isListed = events.some(({ about, change }) => about === "conversation" || change === "received");
    const changed = new Set(events.map(({ conversation_id }) => conversation_id));
    // A receipt names its message alone.
    const isOpen = chosen !== "" && (changed.has(chosen) || events.some(({ about }) => about === "outbound"));
    const keys = [
      ...(isListed ? [["gateway", "conversations"]] : []),
      ...(isOpen ? [threadKey(chosen), conversationKey(chosen), entriesKey(chosen)] : []),
    ];
    return Promise.all(keys.map((queryKey) => queries.invalidateQueries({ queryKey })));
  });
  useHotkeys([
    ["j", () => step(1)],
    ["k", () => step(-1)],
  ]);
  return (
    <>
      <PageHeader title={texts.title} mark={<LiveMark state={live} />} lead={texts.lead} />
      <div className="ar-inbox" data-open={chosen !== "" || undefined}>
        <ConversationList chosen={chosen} choose={choose} />
        {chosen === "" ? (
          <div className="ar-inbox-none">
            <p>{texts.chooseOne}</p>
            <p className="ar-soft">{texts.keys}</p>
          </div>
        ) : (
          <ConversationView
            key={chosen}
            id={chosen}
            draft={drafts[chosen]}
            setDraft={(change) => setDrafts((now) => ({ ...now, [chosen]: change(now[chosen]) }))}
            close={() => choose("")}
          />
        )}
      </div>
    </>
  );
}

/** Opens the next conversation of the list, or the one before. */
function step(by: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLButtonElement>(".ar-inbox-row")];
  const at = rows.findIndex((row) => row.getAttribute("aria-current") === "true");
  const next = rows[at === -1 ? 0 : at + by];
  next?.click();
  next?.scrollIntoView({ block: "nearest" });
}
