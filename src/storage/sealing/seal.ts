import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { AppError } from "../../kit/app-error.ts";
import { derivedKey, type KeyRing } from "./key-ring.ts";

/** Context of a sealed secret; it opens only with the same three values. */
export interface SealContext {
  purpose: string;
  tenant: string;
  name: string;
}

/** Seals and opens secrets stored in the database. */
export interface Sealer {
  /** Id of the key that seals. */
  readonly kid: string;
  /** `v1.<kid>.<nonce>.<ciphertext and tag>`, the last two base64url: AES-256-GCM with a random nonce. */
  seal(secret: string, context: SealContext): string;
  /** The same for bytes. */
  sealBytes(bytes: Uint8Array, context: SealContext): string;
  /** Throws as `open` does. */
  openBytes(sealed: string, context: SealContext): Uint8Array;
  /** Throws `seal_unknown_key`; or `seal_broken` if the context or key differs or the sealed text was changed. */
  open(sealed: string, context: SealContext): string;
}

const algorithm = "aes-256-gcm";
const nonceBytes = 12;
const tagBytes = 16;

export function createSealer(ring: KeyRing): Sealer {
  const keys = new Map(ring.map((key) => [key.kid, derivedKey(key, "sealing")]));
  const kid = ring[0].kid;

  const seal = (secret: string, context: SealContext) => sealBytes(Buffer.from(secret, "utf8"), context);
  const open = (sealed: string, context: SealContext) => openBytes(sealed, context).toString("utf8");

  function sealBytes(bytes: Uint8Array, context: SealContext): string {
    const nonce = randomBytes(nonceBytes);
    const cipher = createCipheriv(algorithm, keyOf(kid), nonce).setAAD(associatedData(context, kid));
    const box = Buffer.concat([cipher.update(bytes), cipher.final(), cipher.getAuthTag()]);
    return ["v1", kid, nonce.toString("base64url"), box.toString("base64url")].join(".");
  }

  function openBytes(sealed: string, context: SealContext): Buffer {
    const [version, sealedBy = "", nonceText = "", boxText = "", ...rest] = sealed.split(".");
    const nonce = Buffer.from(nonceText, "base64url");
    const box = Buffer.from(boxText, "base64url");
    if (version !== "v1" || rest.length > 0 || nonce.length !== nonceBytes || box.length < tagBytes)
      throw broken();
    const decipher = createDecipheriv(algorithm, keyOf(sealedBy), nonce, { authTagLength: tagBytes })
      .setAAD(associatedData(context, sealedBy))
      .setAuthTag(box.subarray(-tagBytes));
    try {
      return Buffer.concat([decipher.update(box.subarray(0, -tagBytes)), decipher.final()]);
    } catch (cause) {
      throw broken(cause);
    }
  }

  function keyOf(wanted: string): Uint8Array {
    const key = keys.get(wanted);
    if (key) return key;
    const message =
      "A stored secret was sealed by a key that is not configured; add that key behind the first one.";
    throw new AppError("internal", "seal_unknown_key", message, { details: { facts: { kid: wanted } } });
  }

  return { kid, seal, open, sealBytes, openBytes };
}

/** Encodes the context as JSON, so that no two contexts have the same encoding. */
const associatedData = ({ purpose, tenant, name }: SealContext, kid: string) =>
  Buffer.from(JSON.stringify([purpose, tenant, name, kid]));

const broken = (cause?: unknown) => {
  const message = "A stored secret can't be opened: it was changed, moved or sealed by another key.";
  return new AppError("internal", "seal_broken", message, { cause });
};
