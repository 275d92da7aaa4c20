import { StatusBadge } from "../parts/text/status-badge.tsx";
import { gatewayTexts as texts } from "../texts/gateway/gateway.ts";
import type { FollowState } from "./follow-gateway.ts";

/** Shows whether changes arrive by themselves, or why they don't. */
export function LiveMark({ state }: { state: FollowState }) {
  if (typeof state === "object")
    return (
      <span role="alert" className="ar-gw-live">
        <StatusBadge tone="bad">{texts.notLive}</StatusBadge> {state.refused}
      </span>
    );
  const isLive = state === "live";
  return (
    <span className="ar-gw-live" title={isLive ? texts.liveHint : texts.connectingHint}>
      <StatusBadge tone={isLive ? "good" : "plain"}>{isLive ? texts.live : texts.connecting}</StatusBadge>
    </span>
  );
}
