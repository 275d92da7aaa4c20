import { randomBytes } from "node:crypto";

/**
 * The mark of a browser that has signed in. Behind a proxy, a person and those who guess may have one address; with the mark, the person
 * waits behind nobody else.
 */
export interface Device {
  /** 256 random bits; the database has digests only. */
  mark: string;
}

const cookieName = "argosy_device";
const markForm = /^[A-Za-z0-9_-]{43}$/;
const keptSeconds = 90 * 86_400;

/** Returns the mark in a request's cookies; undefined if there is none of its form. */
export function deviceOf(headers: Headers): Device | undefined {
  for (const pair of (headers.get("cookie") ?? "").split(";")) {
    const at = pair.indexOf("=");
    const mark = pair.slice(at + 1).trim();
    if (pair.slice(0, at).trim() === cookieName && markForm.test(mark)) return { mark };
  }
  return undefined;
}

export const newDevice = (): Device => ({ mark: randomBytes(32).toString("base64url") });

/** Returns the header that keeps the mark for 90 days. */
export function deviceCookie({ mark }: Device, url: string): string {
  const secure = url.startsWith("https:") ? ["Secure"] : [];
  return [
    `${cookieName}=${mark}`,
    "Path=/",
    "HttpOnly",
    "SameSite=Strict",
    `Max-Age=${keptSeconds}`,
    ...secure,
  ].join("; ");
}
