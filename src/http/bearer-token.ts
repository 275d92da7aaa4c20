import { createHash, timingSafeEqual } from "node:crypto";

/** Returns a check for `token` in an `Authorization` header. Its time does not reveal how much of the token was right. */
export function createBearerCheck(token: string): (authorization: string | null) => boolean {
  const expected = digest(token);
  return (authorization) => {
    const sent = authorization === null ? undefined : /^Bearer +(\S+)$/i.exec(authorization)?.[1];
    return sent !== undefined && timingSafeEqual(digest(sent), expected);
  };
}

/** Hashes a token: `timingSafeEqual` throws on unequal lengths, and the length itself is a hint. */
function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
