/** A person of the platform with a token pair in force. */
export interface PersonGrant {
  id: string;
  email: string;
  display_name: string;
  accessToken: string;
  refreshToken: string;
  /** What the platform said last. */
  operator: boolean;
}

/** What a session may do. None of it is ever shown to the browser. */
export interface Grants {
  /** Uses the daemon as whoever comes without a credential. */
  visitor?: boolean;
  /** May use the daemon: `link`, or the hash of the API token that was shown, which ends with that token. */
  daemon?: string;
  /** The hash of the operator token that was shown. */
  operator?: string;
  person?: PersonGrant;
  /** By the link of this machine's owner. */
  local?: boolean;
}

/** The daemon, by the link of this machine's owner. */
export const byLink = "link";

/** SHA-256 in hex: all that is kept of what a browser shows. */
export function digest(secret: string): string {
  return new Bun.CryptoHasher("sha256").update(secret).digest("hex");
}
