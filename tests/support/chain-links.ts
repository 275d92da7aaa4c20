import type { ChainResult } from "../../src/contracts/daemon/run.ts";

/** A chain's links a line each: `depth via → agent: status, what it said or why not`. */
export function chainLinks(chain: ChainResult | undefined): string[] {
  return (chain?.links ?? []).map(({ depth, via, agent, status, answer, error, reason }) => {
    return `${depth} ${via} → ${agent}: ${status}, ${answer ?? error ?? reason}`;
  });
}
