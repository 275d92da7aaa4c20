import { createHash, timingSafeEqual } from "node:crypto";

/** Tells whether an `Authorization` header carries `token`, in a time that says nothing about how much of it was right. */
export function createBearerCheck(token: string): (authorization: string | null) => boolean {
  const expected = digest(token);
  return (authorization) => {
    const sent = authorization === null ? undefined : /^Bearer +(\S+)$/i.exec(authorization)?.[1];
    return sent !== undefined && timingSafeEqual(digest(sent), expected);
  };
}

/** Both sides are hashed, since `timingSafeEqual` throws on unequal lengths and a length is a hint in itself. */
function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
