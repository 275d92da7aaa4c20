import { useMinuteTick } from "../../parts/text/minute-tick.tsx";
import { replyTexts as texts } from "../../texts/gateway/reply.ts";
import { formatLeft, type WindowState, windowState } from "./window-state.ts";

/** Returns whether the provider takes free text now; it changes with time. */
export function useWindowState(closesAt: string | null | undefined): WindowState {
  useMinuteTick();
  return windowState(closesAt, Date.now());
}

/** How long the provider takes free text, in short; nothing where there is no window. */
export function WindowLeft({ closesAt }: { closesAt: string | null | undefined }) {
  const found = useWindowState(closesAt);
  if (found.state === "none" || found.state === "unknown") return null;
  return (
    <span className="ar-window" data-state={found.state}>
      {found.state === "closed" ? texts.window.closedShort : texts.window.short(formatLeft(found.leftMs))}
    </span>
  );
}
