import type { ChainResult } from "../../src/contracts/daemon/runs/run.ts";

/** Formats a chain's links, one per line: `depth via → agent: status, its answer or the reason`. */
export function chainLinks(chain: ChainResult | undefined): string[] {
  return (chain?.links ?? []).map(({ depth, via, agent, status, answer, error, reason }) => {
    return `${depth} ${via} → ${agent}: ${status}, ${answer ?? error ?? reason}`;
  });
}
