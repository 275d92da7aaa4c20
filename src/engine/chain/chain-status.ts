import type { ChainLink, ChainResult } from "../../contracts/daemon/runs/run.ts";

/**
 * Status of a chain: `failed` if it was stopped, `completed` if no link failed. If some links failed, `partial` if another one succeeded,
 * otherwise `failed`. Skipped links don't count.
 */
export function chainStatus(
  links: readonly Pick<ChainLink, "status">[],
  stopped: boolean,
): ChainResult["status"] {
  if (stopped) return "failed";
  if (!links.some(({ status }) => status === "error")) return "completed";
  return links.some(({ status }) => status === "success") ? "partial" : "failed";
}
