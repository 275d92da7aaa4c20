import type { ListedConversation } from "../../../contracts/gateway/admin.ts";
import { escapeUnseenName } from "../../parts/text/escape-unseen.ts";
import { Instant } from "../../parts/text/instant.tsx";
import { inboxTexts as texts } from "../../texts/gateway/inbox.ts";
import { ChannelMark } from "../channel-label.tsx";
import { WindowLeft } from "./window-left.tsx";

interface ConversationRowProps {
  row: ListedConversation;
  isChosen: boolean;
  /** The tenant's name; undefined in a list of one tenant. */
  tenant: string | undefined;
  choose: () => void;
}

/** A conversation in the list: who, when, the last message, and what asks for attention. */
export function ConversationRow({ row, isChosen, tenant, choose }: ConversationRowProps) {
  const isUnread = row.unread > 0 && !isChosen;
  return (
    <button
      type="button"
      className="ar-inbox-row"
      aria-current={isChosen ? "true" : undefined}
      data-unread={isUnread || undefined}
      onClick={choose}
    >
      <ChannelMark channel={row.channel} />
      <span className="ar-inbox-who" dir="auto">
        {escapeUnseenName(row.contact_name ?? row.external_user)}
      </span>
      <span className="ar-soft ar-inbox-when">
        <Instant iso={row.last_message_at} />
      </span>
      <span className="ar-inbox-last ar-soft" dir="auto">
        {lastText(row)}
      </span>
      {isUnread && (
        <span className="ar-inbox-count">
          <span aria-hidden="true">{row.unread > 99 ? "99+" : row.unread}</span>
          <span className="ar-unseen">{texts.unread(row.unread)}</span>
        </span>
      )}
      <span className="ar-inbox-marks">
        {row.needs_person !== null && <span className="ar-inbox-needs">{texts.needsShort}</span>}
        {row.state !== "open" && <span className="ar-inbox-held">{texts.states[row.state]}</span>}
        {row.mode === "human" && <span className="ar-inbox-held">{texts.held}</span>}
        <WindowLeft closesAt={row.window_closes_at} />
        {row.assignee !== null && (
          <bdi className="ar-soft">
            {texts.assignee}: {escapeUnseenName(row.assignee)}
          </bdi>
        )}
        {row.labels.map((label) => (
          <bdi key={label} className="ar-inbox-label">
            {escapeUnseenName(label)}
          </bdi>
        ))}
        {tenant !== undefined && (
          <bdi className="ar-soft ar-clip" title={row.tenant_id}>
            {tenant}
          </bdi>
        )}
      </span>
    </button>
  );
}

function lastText({ last_message }: ListedConversation): string {
  if (last_message === null) return "";
  const { direction, kind, text } = last_message;
  const said = text.trim() === "" ? texts.kindOf(kind) : text;
  return direction === "outbound" ? texts.you(said) : said;
}
