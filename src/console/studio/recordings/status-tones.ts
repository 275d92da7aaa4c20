import type { CassetteSummary } from "../../../contracts/daemon/cassettes/cassette-file.ts";
import type { Tone } from "../../parts/status-badge.tsx";

/** Tones for the status of a recorded run. */
export const statusTones: Readonly<Record<CassetteSummary["status"], Tone>> = {
  ok: "good",
  failed: "bad",
  stopped: "plain",
};
