import { NoAnswer } from "../outages/server-watch.ts";

/** Returns true if the connection cannot be used after this error. */
export function isConnectionLost(thrown: unknown): boolean {
  if (thrown instanceof NoAnswer) return true;
  if (!(thrown instanceof Bun.SQL.PostgresError)) return false;
  if (isReadOnly(thrown)) return true;
  const code = String(thrown.errno ?? thrown.code);
  return /^(08|57P0|25P03|ERR_POSTGRES_(CONNECTION|IDLE|LIFETIME))/.test(code);
}

/**
 * Returns true if the server takes no writes: it was demoted, and another one may have been promoted. A standby refuses already the
 * isolation level of a transaction (0A000).
 */
export const isReadOnly = (thrown: unknown): boolean =>
  thrown instanceof Bun.SQL.PostgresError &&
  (thrown.errno === "25006" || (thrown.errno === "0A000" && thrown.routine === "call_enum_check_hook"));

export const isTimeout = (thrown: unknown): boolean =>
  thrown instanceof NoAnswer ||
  (thrown instanceof Bun.SQL.PostgresError && thrown.code === "ERR_POSTGRES_CONNECTION_TIMEOUT");

/** Returns true if the server's certificate can't be verified, or a file of certificates that the address names can't be read. */
export function isCertificateFault(thrown: unknown): thrown is Error & { code: string } {
  if (!(thrown instanceof Error) || !("code" in thrown)) return false;
  const code = String(thrown.code);
  if (code === "ERR_INVALID_ARG_TYPE") return /\b(ca|cert|key)File\b/.test(thrown.message);
  return /^(ERR_TLS_|UNABLE_TO_|CERT_|SELF_SIGNED_|DEPTH_ZERO_|HOSTNAME_MISMATCH)/.test(code);
}
