/**
 * Returns true if the canary answers a session. The answer depends on nothing else, so it is the same on every node and after a restart.
 * Another version of the agent gets other sessions.
 */
export function isCanarySession(
  canary: { agent: string; fingerprint: string; percent: number },
  sessionId: string,
): boolean {
  const { agent, fingerprint, percent } = canary;
  const hash = new Bun.CryptoHasher("sha256")
    .update(JSON.stringify([agent, fingerprint, sessionId]))
    .digest();
  return hash.readUInt32BE(0) / 2 ** 32 < percent / 100;
}
