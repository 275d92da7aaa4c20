/** A person of the platform with a valid token pair. */
export interface PersonGrant {
  id: string;
  email: string;
  display_name: string;
  accessToken: string;
  refreshToken: string;
  /** Result of the last check with the platform. */
  operator: boolean;
}

/** Grants of a session. They are never sent to the browser. */
export interface Grants {
  /** Uses the daemon without a credential. */
  visitor?: boolean;
  /** Grants use of the daemon: `link`, or the hash of the API token used to sign in, which is valid as long as that token. */
  daemon?: string;
  /** Hash of the operator token used to sign in. */
  operator?: string;
  person?: PersonGrant;
  /** True if the session began with the machine owner's link. */
  local?: boolean;
}

/** Value of `daemon` for a session that began with the machine owner's link. */
export const byLink = "link";

/** SHA-256 in hex. Only digests of a browser's credentials are stored. */
export function digest(secret: string): string {
  return new Bun.CryptoHasher("sha256").update(secret).digest("hex");
}
