import type { Fire } from "../../../contracts/daemon/triggers.ts";
import type { Tone } from "../../parts/text/status-badge.tsx";

export const fireTones: Readonly<Record<Fire["status"], Tone>> = {
  queued: "plain",
  running: "accent",
  completed: "good",
  waiting: "warn",
  failed: "bad",
  interrupted: "bad",
  expired: "bad",
};
