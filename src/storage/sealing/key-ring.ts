import { hkdfSync, randomBytes } from "node:crypto";
import { AppError } from "../../kit/app-error.ts";

/** A secret key, and the id that is stored with everything made with it. */
export interface RingKey {
  kid: string;
  secret: Uint8Array;
}

/** Keys of one purpose: the first one makes new values, all can open them. */
export type KeyRing = readonly [RingKey, ...RingKey[]];

const secretBytesMin = 32;
const kidForm = /^[A-Za-z0-9_-]{1,32}$/;

/** Parses `kid:base64,kid:base64,…`; refuses secrets under 32 bytes. Errors name positions and ids, never secrets. */
export function parseKeyRing(name: string, text: string): KeyRing {
  const [first, ...others] = text.split(",").map((entry, index) => parseKey(name, entry.trim(), index + 1));
  if (first === undefined) throw refused(name, "holds no key");
  const ring: KeyRing = [first, ...others];
  const twice = ring.find((key, index) => ring.findIndex((other) => other.kid === key.kid) !== index);
  if (twice) throw refused(name, `names the key ${twice.kid} twice`);
  return ring;
}

function parseKey(name: string, entry: string, position: number): RingKey {
  const colon = entry.indexOf(":");
  const kid = entry.slice(0, Math.max(colon, 0));
  const encoded = entry.slice(colon + 1);
  if (!kidForm.test(kid))
    throw refused(name, `entry ${position} doesn't begin with an id of letters, digits, _ and - and a colon`);
  const secret = Buffer.from(encoded, "base64");
  const isBase64 = secret.toString("base64").replaceAll("=", "") === encoded.replaceAll("=", "");
  if (!isBase64) throw refused(name, `the key ${kid} is not base64`);
  if (secret.length < secretBytesMin)
    throw refused(name, `the key ${kid} has ${secret.length} bytes instead of at least ${secretBytesMin}`);
  return { kid, secret };
}

const refused = (name: string, fault: string) =>
  new AppError(
    "invalid",
    "key_ring_invalid",
    `${name}: ${fault}. Make one with \`argosy secrets init --print\`.`,
  );

/** Formats a ring as `parseKeyRing` reads it. */
export const formatKeyRing = (ring: readonly RingKey[]): string =>
  ring.map(({ kid, secret }) => `${kid}:${Buffer.from(secret).toString("base64")}`).join(",");

/** Creates a random key with a unique id. */
export const generateKey = (): RingKey => ({
  kid: randomBytes(6).toString("hex"),
  secret: randomBytes(secretBytesMin),
});

/** Derives 32 bytes for one purpose from a key. The bytes for one purpose reveal nothing about those for another. */
export const derivedKey = ({ secret }: RingKey, purpose: string): Uint8Array =>
  new Uint8Array(hkdfSync("sha256", secret, "", `argosy ${purpose} v1`, 32));
