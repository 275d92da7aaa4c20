import type { Clock } from "../../../kit/clock.ts";
import type { KeyRing } from "../../../storage/sealing/key-ring.ts";
import type { VisitorInbox } from "./receive-message.ts";
import { ThreadBell } from "./thread-bell.ts";
import { VisitorLimits } from "./visitor-limits.ts";
import { createVisitorTokens, type VisitorTokens } from "./visitor-tokens.ts";
import type { WidgetScript } from "./widget-routes.ts";

/** Parts of the web chat besides what the whole gateway has. */
export interface WebchatParts {
  inbox: VisitorInbox;
  bell: ThreadBell;
  /** Undefined if no keys sign tokens: visitors' own routes don't exist. */
  tokens: VisitorTokens | undefined;
  limits: VisitorLimits;
  widget: WidgetScript;
}

export interface WebchatChoices {
  inbox: VisitorInbox;
  /** Undefined if the operator disabled generated secrets and configured none. */
  keys: KeyRing | undefined;
  widget: WidgetScript;
  clock: Clock;
}

export const createWebchatParts = ({ inbox, keys, widget, clock }: WebchatChoices): WebchatParts => ({
  inbox,
  bell: new ThreadBell(),
  tokens: keys && createVisitorTokens(keys, clock),
  limits: new VisitorLimits(clock),
  widget,
});
