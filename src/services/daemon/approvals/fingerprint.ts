import type { RunnableAgent } from "../../../engine/run/runnable-agent.ts";

/** What a run depends on that was begun with these agents by this version: as long as it is the same, a paused run can go on. */
export function fingerprintOf(version: string, agents: readonly RunnableAgent[]): string {
  const hash = new Bun.CryptoHasher("sha256").update(version);
  for (const { name, manifest } of agents) hash.update(`\n${name}\n${JSON.stringify(manifest)}`);
  return hash.digest("hex");
}
