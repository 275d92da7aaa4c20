import { equalSecrets } from "../../kit/secrets/equal-secrets.ts";

/** Returns a check for `token` in an `Authorization` header. Its time does not reveal how much of the token was right. */
export function createBearerCheck(token: string): (authorization: string | null) => boolean {
  return (authorization) => {
    const sent = authorization === null ? undefined : /^Bearer +(\S+)$/i.exec(authorization)?.[1];
    return sent !== undefined && equalSecrets(sent, token);
  };
}
