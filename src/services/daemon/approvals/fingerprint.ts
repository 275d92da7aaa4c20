import type { RunnableAgent } from "../../../engine/agents/runnable-agent.ts";

/** Hash of the program version and the agents of a run. A paused run can resume only while its fingerprint is the same. */
export function fingerprintOf(version: string, agents: readonly RunnableAgent[]): string {
  const hash = new Bun.CryptoHasher("sha256").update(version);
  for (const { name, manifest } of agents) hash.update(`\n${name}\n${JSON.stringify(manifest)}`);
  return hash.digest("hex");
}
