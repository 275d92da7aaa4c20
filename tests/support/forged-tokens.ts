import { createHmac, generateKeyPairSync, randomBytes, sign } from "node:crypto";
import type { TokenKind } from "../../src/storage/access-tokens.ts";
import { derivedKey, type KeyRing } from "../../src/storage/sealing/key-ring.ts";

/** An entry of the corpus `jwt_forgeries`. */
export interface Forgery {
  id: string;
  why: string;
  kind?: string;
  expected?: string;
  input: {
    header?: Record<string, unknown>;
    payload?: Record<string, unknown>;
    signature?: string;
    raw?: string;
    query?: string;
    refresh?: string;
  };
}

export interface ForgedFor {
  /** The service's current key. */
  ring: KeyRing[0];
  kind: TokenKind;
  /** Claims of a valid token, so that only the forgery is wrong. */
  own: Record<string, unknown>;
  nowSeconds: number;
  /** Signature to use instead of the entry's. */
  signature?: string;
}

const retired = { kid: "k-retired", secret: randomBytes(32) };
const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 });
const publicPem = rsa.publicKey.export({ type: "spki", format: "pem" });

/** The signatures that an entry stands for. */
export const signatureNames = (named = ""): readonly string[] =>
  named.includes(" or ") ? named.split(" or ") : [named];

/** Builds the token of an entry for a service: the corpus is written for the platform's issuer and audience. */
export function forgedToken(
  { input }: Forgery,
  { ring, kind, own, nowSeconds, signature = input.signature ?? "" }: ForgedFor,
): string {
  const ours: Readonly<Record<string, string>> = { platform: kind.issuer, "platform-api": kind.audience };
  const inOurs = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(inOurs);
    const text = String(value);
    if (Object.hasOwn(ours, text)) return ours[text];
    const [, offset, isText] = /^now([+-]\d+)?( as string)?$/.exec(text) ?? [];
    if (!text.startsWith("now")) return value;
    const seconds = nowSeconds + Number(offset ?? 0);
    return isText === undefined ? seconds : String(seconds);
  };
  const payload = Object.fromEntries(
    Object.entries(input.payload ?? {}).map(([name, value]) => [name, inOurs(value)]),
  );
  const known = { ...payload, sid: own.sid, ...(payload.sub === "user-1" && { sub: own.sub }) };
  const text = `${encoded(input.header)}.${encoded(known)}`;
  const key = derivedKey(ring, kind.purpose);
  const hmac = (secret: Parameters<typeof createHmac>[1]) =>
    createHmac("sha256", secret).update(text).digest();
  const signatures: Readonly<Record<string, () => Buffer>> = {
    empty: () => Buffer.alloc(0),
    "hmac(k1)": () => hmac(key),
    "hmac(k1)[0:31]": () => hmac(key).subarray(0, 31),
    "hmac(k1)+00": () => Buffer.concat([hmac(key), Buffer.alloc(1)]),
    "hmac(public_key_pem)": () => hmac(publicPem),
    "hmac('')": () => hmac(""),
    "by attacker key": () => hmac("AA"),
    "rsa(attacker)": () => sign("sha256", Buffer.from(text), rsa.privateKey),
    "hmac(k-retired)": () => hmac(derivedKey(retired, kind.purpose)),
  };
  const made = signatures[signature];
  if (made === undefined) throw new Error(`The corpus has a signature ${signature} that is not made here.`);
  return `${text}.${made().toString("base64url")}`;
}

const encoded = (part: unknown) => Buffer.from(JSON.stringify(part)).toString("base64url");
