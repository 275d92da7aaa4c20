/** A person of the platform with a valid token pair. */
export interface PersonGrant {
  id: string;
  email: string;
  display_name: string;
  accessToken: string;
  refreshToken: string;
  /** Result of the last check with the platform. */
  operator: boolean;
  /** True if the person must change a password that an operator set. */
  expired?: boolean;
}

/** A person of the cloud with a valid token pair. */
export interface MemberGrant {
  accessToken: string;
  refreshToken: string;
}

/** Grants of a session. They are never sent to the browser. */
export interface Grants {
  /** Uses the daemon without a credential. */
  visitor?: boolean;
  /** Grants use of the daemon: `link`, or the hash of the API token used to sign in, which is valid as long as that token. */
  daemon?: string;
  /** Hash of the operator token used to sign in. */
  operator?: string;
  /** Grants use of the gateway: `link`, or the hash of the admin token used to sign in, which is valid as long as that token. */
  admin?: string;
  person?: PersonGrant;
  member?: MemberGrant;
  /** True if the session began with the machine owner's link. */
  local?: boolean;
}

/** Value of `daemon` and `admin` for a session that began with the machine owner's link. */
export const byLink = "link";

/** SHA-256 in hex. Only digests of a browser's credentials are stored. */
export function digest(secret: string): string {
  return new Bun.CryptoHasher("sha256").update(secret).digest("hex");
}

/** Tokens of the configuration. */
interface Tokens {
  apiToken: string | undefined;
  operatorToken: string | undefined;
  adminToken: string | undefined;
}

/** Returns true if a session may use the daemon with a credential, not just as a visitor. */
export const mayUseDaemon = ({ daemon }: Grants, { apiToken }: Pick<Tokens, "apiToken">): boolean =>
  daemon === byLink || (daemon !== undefined && apiToken !== undefined && daemon === digest(apiToken));

/** Returns true if a session has the current operator token. */
export const holdsOperatorToken = (
  { operator }: Grants,
  { operatorToken }: Pick<Tokens, "operatorToken">,
): boolean => operator !== undefined && operatorToken !== undefined && operator === digest(operatorToken);

/** Returns true if a session may use the gateway as its operator. */
export const mayAdminister = ({ admin }: Grants, { adminToken }: Pick<Tokens, "adminToken">): boolean =>
  admin === byLink || (admin !== undefined && adminToken !== undefined && admin === digest(adminToken));

/** Returns true if none of a session's grants is valid any more, because tokens were changed or the people are signed out. */
export const hasEnded = (grants: Grants, tokens: Tokens): boolean =>
  grants.visitor !== true &&
  grants.person === undefined &&
  grants.member === undefined &&
  !mayUseDaemon(grants, tokens) &&
  !mayAdminister(grants, tokens) &&
  !holdsOperatorToken(grants, tokens);
