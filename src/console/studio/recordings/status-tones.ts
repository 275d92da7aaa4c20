import type { CassetteSummary } from "../../../contracts/daemon/cassette-file.ts";
import type { Tone } from "../../parts/status-badge.tsx";

/** What the end of a recorded run means for who looks at it. */
export const statusTones: Readonly<Record<CassetteSummary["status"], Tone>> = {
  ok: "good",
  failed: "bad",
  stopped: "plain",
};
