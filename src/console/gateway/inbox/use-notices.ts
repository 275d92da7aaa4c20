import { useCallback, useRef, useState } from "react";
import type { GatewayEvent } from "../../../contracts/gateway/events.ts";
import { escapeUnseenName } from "../../parts/text/escape-unseen.ts";
import { inboxTexts as texts } from "../../texts/gateway/inbox.ts";
import { useGateway } from "../use-gateway.ts";
import { noticesFor } from "./notices.ts";
import { usePerson } from "./use-person.ts";

const wishName = "argosy-desk-notices";

/** Whether this browser tells of new work: `refused` by its user's settings, `missing` in one without notifications. */
export type NoticeState = "on" | "off" | "refused" | "missing";

function stateNow(): NoticeState {
  if (typeof Notification === "undefined") return "missing";
  if (Notification.permission === "denied") return "refused";
  return Notification.permission === "granted" && localStorage.getItem(wishName) === "on" ? "on" : "off";
}

/** The browser's notifications of the desk. The browser asks for its permission only when `turn` is called by a click. */
export function useNotices(open: (conversation: string) => void) {
  const gateway = useGateway();
  const me = usePerson();
  const [state, setState] = useState<NoticeState>(stateNow);
  const seen = useRef(new Set<string>());
  const turn = useCallback(async () => {
    if (stateNow() === "on") localStorage.removeItem(wishName);
    else if ((await Notification.requestPermission()) === "granted") localStorage.setItem(wishName, "on");
    setState(stateNow());
  }, []);
  /** Tells of those events that concern this person, unless they look at the page. */
  const tell = async (events: readonly GatewayEvent[]) => {
    const notices = noticesFor(events, me, seen.current);
    if (state !== "on" || document.hasFocus()) return;
    for (const { id, conversation, change } of notices) {
      const found = await gateway.getConversation(conversation).catch(() => undefined);
      if (found === undefined) continue;
      const { contact_name, external_user } = found;
      const notice = new Notification(texts.notices[change], {
        // The text itself stays on the server: others may see the screen.
        body: escapeUnseenName(contact_name ?? external_user),
        tag: id,
      });
      notice.onclick = () => {
        window.focus();
        open(conversation);
        notice.close();
      };
    }
  };
  return { state, turn, tell };
}
