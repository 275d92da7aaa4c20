import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from "node:crypto";
import { equalSecrets } from "../kit/secrets/equal-secrets.ts";

/*
 * A join code lets a new machine of the local network ask for the address and secret of a mesh. The machine proves that it knows the code,
 * and a node answers with both, encrypted by a key made from the code. The code has 80 random bits, so what travels over the network can't
 * be guessed from.
 */

/** Facts that a new node needs to join. */
export interface MeshInvitation {
  /** `host:port` of the node that invites. */
  address: string;
  secret: string;
  /** Port for nodes over TLS; empty if they talk unencrypted. */
  port: string;
}

/** Letters and digits that people don't confuse. */
const alphabet = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789";
const codeLetters = 16;
const groupLetters = 4;

/** Returns a new code, such as `K7QM-2XRT-9DFA-HW3E`. */
export function newJoinCode(): string {
  const letters = [...randomBytes(codeLetters)].map((byte) => alphabet[byte % alphabet.length]).join("");
  return (letters.match(new RegExp(`.{${groupLetters}}`, "g")) ?? []).join("-");
}

/** Returns the code without spaces and hyphens, in capitals; undefined if it isn't one. */
export function readJoinCode(text: string): string | undefined {
  const letters = text.toUpperCase().replace(/[\s-]/g, "");
  const isCode = letters.length === codeLetters && [...letters].every((letter) => alphabet.includes(letter));
  return isCode ? letters : undefined;
}

const keyOf = (code: string, purpose: string) =>
  Buffer.from(hkdfSync("sha256", readJoinCode(code) ?? code, "argosy-mesh", purpose, 32));

const proofOf = (code: string, nonce: string) =>
  createHmac("sha256", keyOf(code, "question")).update(nonce).digest("base64url");

/** Returns the packet that asks for the mesh of this code. */
export function question(code: string, nonce: string): string {
  return JSON.stringify({ argosy: "mesh-question", nonce, proof: proofOf(code, nonce) });
}

/** Returns the answer to a packet; undefined if it does not ask for the mesh of this code. */
export function answerTo(packet: string, code: string, invitation: MeshInvitation): string | undefined {
  const { argosy, nonce, proof } = fieldsOf(packet);
  if (
    argosy !== "mesh-question" ||
    !/^[\w-]{22}$/.test(nonce) ||
    !equalSecrets(proof, proofOf(code, nonce))
  ) {
    return undefined;
  }
  const iv = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", keyOf(code, "answer"), iv).setAAD(Buffer.from(nonce));
  const sealed = Buffer.concat([
    cipher.update(JSON.stringify(invitation)),
    cipher.final(),
    cipher.getAuthTag(),
  ]);
  return JSON.stringify({
    argosy: "mesh-answer",
    nonce,
    iv: iv.toString("base64url"),
    sealed: sealed.toString("base64url"),
  });
}

const tagBytes = 16;

/** Returns the invitation in a packet; undefined if it does not answer the question with this nonce. */
export function invitationIn(packet: string, code: string, nonce: string): MeshInvitation | undefined {
  const { argosy, nonce: answered, iv, sealed } = fieldsOf(packet);
  if (argosy !== "mesh-answer" || answered !== nonce) return undefined;
  try {
    const bytes = Buffer.from(sealed, "base64url");
    const decipher = createDecipheriv("aes-256-gcm", keyOf(code, "answer"), Buffer.from(iv, "base64url"));
    decipher.setAAD(Buffer.from(nonce)).setAuthTag(bytes.subarray(-tagBytes));
    const text = Buffer.concat([decipher.update(bytes.subarray(0, -tagBytes)), decipher.final()]).toString();
    const { address, secret, port } = fieldsOf(text);
    return address === "" || secret === "" ? undefined : { address, secret, port };
  } catch {
    return undefined;
  }
}

export const newNonce = (): string => randomBytes(16).toString("base64url");

type Fields = Record<"argosy" | "nonce" | "proof" | "iv" | "sealed" | "address" | "secret" | "port", string>;

/** Returns the texts of a packet; a missing one is empty. Packets come from anyone. */
function fieldsOf(packet: string): Fields {
  let value: unknown;
  try {
    value = JSON.parse(packet);
  } catch {
    value = undefined;
  }
  const given = typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  const text = (name: keyof Fields) => (typeof given[name] === "string" ? given[name] : "");
  return {
    argosy: text("argosy"),
    nonce: text("nonce"),
    proof: text("proof"),
    iv: text("iv"),
    sealed: text("sealed"),
    address: text("address"),
    secret: text("secret"),
    port: text("port"),
  };
}
