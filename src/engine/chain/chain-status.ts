import type { ChainLink, ChainResult } from "../../contracts/daemon/run.ts";

/**
 * What a chain has come to: `failed` when it was stopped, `completed` when no link failed; when some did, `partial` as long as
 * another succeeded. Links that were skipped don't count.
 */
export function chainStatus(
  links: readonly Pick<ChainLink, "status">[],
  stopped: boolean,
): ChainResult["status"] {
  if (stopped) return "failed";
  if (!links.some(({ status }) => status === "error")) return "completed";
  return links.some(({ status }) => status === "success") ? "partial" : "failed";
}
