import type { CannedReply } from "../../../contracts/gateway/desk.ts";
import { escapeUnseenName } from "../../parts/text/escape-unseen.ts";
import { replyTexts as texts } from "../../texts/gateway/reply.ts";

export const cannedListId = "ar-canned";
export const cannedOptionId = (at: number) => `${cannedListId}-${at}`;

interface CannedListProps {
  replies: readonly CannedReply[];
  at: number;
  take: (reply: CannedReply) => void;
}

/** Replies to choose from while a slash word is typed: the field keeps the focus, and names the one that Enter inserts. */
export function CannedList({ replies, at, take }: CannedListProps) {
  if (replies.length === 0) {
    return (
      <p className="ar-canned ar-soft" role="status">
        {texts.noCanned}
      </p>
    );
  }
  return (
    <div id={cannedListId} className="ar-canned" role="listbox" aria-label={texts.canned} tabIndex={-1}>
      {replies.map((reply, place) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the field takes the keys
        <div
          key={reply.id}
          id={cannedOptionId(place)}
          role="option"
          tabIndex={-1}
          aria-selected={place === at}
          ref={place === at ? (row) => row?.scrollIntoView({ block: "nearest" }) : undefined}
          // The field keeps the focus.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => take(reply)}
        >
          <bdi>{escapeUnseenName(reply.name)}</bdi>
          <span className="ar-soft ar-clip" dir="auto">
            {reply.text}
          </span>
        </div>
      ))}
    </div>
  );
}
