import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from "node:crypto";
import { type Static, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { AppError } from "../../kit/app-error.ts";
import { canonicalJson } from "../../kit/json/canonical-json.ts";
import { normalized } from "../../kit/text/normalize.ts";

/*
 * A pack is one JSON file with everything that an agent needs from its workspace, as texts, each with its SHA-256. It has no secrets:
 * variables stay names. A signature is of Ed25519, over the paths and the hashes.
 */

const Sha256 = Type.String({ pattern: "^[0-9a-f]{64}$" });

const PackedFile = Type.Object(
  {
    path: Type.String({ minLength: 1, maxLength: 512 }),
    sha256: Sha256,
    text: Type.Optional(Type.String()),
    /** Files that are not UTF-8 text. */
    base64: Type.Optional(Type.String()),
  },
  { additionalProperties: false },
);
export type PackedFile = Static<typeof PackedFile>;

export const Pack = Type.Object(
  {
    format: Type.Literal("argosy-pack/1"),
    agent: Type.String({ minLength: 1, maxLength: 63 }),
    /** Variables that its files read. */
    variables: Type.Array(Type.String({ maxLength: 128 }), { maxItems: 1000 }),
    files: Type.Array(PackedFile, { minItems: 1, maxItems: 2000 }),
    left_out: Type.Array(Type.Object({ path: Type.String(), reason: Type.String() }), { maxItems: 1000 }),
    signature: Type.Optional(
      Type.Object(
        { public_key: Type.String({ maxLength: 1000 }), value: Type.String({ maxLength: 200 }) },
        { additionalProperties: false },
      ),
    ),
  },
  { additionalProperties: false },
);
export type Pack = Static<typeof Pack>;

export const packBytesMax = 128 * 1024 * 1024;

export const sha256 = (bytes: Uint8Array | string): string =>
  createHash("sha256").update(bytes).digest("hex");

export function packedFile(path: string, bytes: Uint8Array): PackedFile {
  const hash = sha256(bytes);
  try {
    return {
      path,
      sha256: hash,
      text: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes),
    };
  } catch {
    return { path, sha256: hash, base64: Buffer.from(bytes).toString("base64") };
  }
}

export const bytesOf = ({ text, base64 }: PackedFile): Uint8Array =>
  text === undefined ? Buffer.from(base64 ?? "", "base64") : Buffer.from(text);

const signedText = ({ format, agent, files }: Pick<Pack, "format" | "agent" | "files">): Buffer =>
  Buffer.from(canonicalJson({ format, agent, files: files.map(({ path, sha256: hash }) => [path, hash]) }));

export function signPack(pack: Pack, privateKeyPem: string): Pack {
  const key = keyOf(() => createPrivateKey(privateKeyPem), "the key to sign with");
  const publicKey = createPublicKey(key).export({ type: "spki", format: "pem" }).toString();
  const value = sign(null, signedText(pack), key).toString("base64");
  return { ...pack, signature: { public_key: publicKey, value } };
}

function keyOf(read: () => KeyObject, what: string): KeyObject {
  try {
    const key = read();
    if (key.asymmetricKeyType === "ed25519") return key;
  } catch {
    // The error below says what is expected.
  }
  throw new AppError("invalid", "pack_key_invalid", `${what} must be an Ed25519 key in PEM.`, {
    details: { hint: "`openssl genpkey -algorithm ed25519 -out key.pem` makes one." },
  });
}

/**
 * Reads a pack and checks every path, hash and signature. Throws AppError `pack_invalid`; with `publicKeyPem` also for a pack that is not
 * signed by that key.
 */
export function readPack(text: string, publicKeyPem?: string): Pack {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw packInvalid("it is not JSON");
  }
  if (!Value.Check(Pack, value)) {
    const first = Value.Errors(Pack, value).First();
    throw packInvalid(`${first?.path || "/"}: ${first?.message ?? "not valid"}`);
  }
  const seen = new Set<string>();
  for (const file of value.files) {
    const fault = pathFault(file.path);
    if (fault !== undefined) throw packInvalid(`the path ${JSON.stringify(file.path)} ${fault}`);
    // Some file systems ignore case.
    const same = normalized(file.path, "NFC").toLowerCase();
    if (seen.has(same)) throw packInvalid(`${file.path} is there twice`);
    seen.add(same);
    if ((file.text === undefined) === (file.base64 === undefined))
      throw packInvalid(`${file.path} has not exactly one of text and base64`);
    if (sha256(bytesOf(file)) !== file.sha256) throw packInvalid(`${file.path} doesn't have its SHA-256`);
  }
  for (const path of seen)
    if ([...ancestors(path)].some((folder) => seen.has(folder))) throw packInvalid(`${path} is below a file`);
  checkSignature(value, publicKeyPem);
  return value;
}

function* ancestors(path: string): Generator<string> {
  for (let at = path.lastIndexOf("/"); at > 0; at = path.lastIndexOf("/", at - 1)) yield path.slice(0, at);
}

function checkSignature(pack: Pack, publicKeyPem: string | undefined): void {
  const { signature } = pack;
  if (signature === undefined) {
    if (publicKeyPem === undefined) return;
    throw packInvalid("it is not signed");
  }
  const key = keyOf(() => createPublicKey(signature.public_key), "The pack's own key");
  if (publicKeyPem !== undefined) {
    const wanted = keyOf(() => createPublicKey(publicKeyPem), "the key to verify with");
    if (!wanted.equals(key)) throw packInvalid("it is signed by another key");
  }
  if (!verify(null, signedText(pack), key, Buffer.from(signature.value, "base64")))
    throw packInvalid("its signature is not valid");
}

/** The reason why a pack may not write to a path; undefined if it may. Files of the workspace's root are its owner's settings. */
export function pathFault(path: string): string | undefined {
  const segments = path.split("/");
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused.
  if (/[\\:*?"<>|\u0000-\u001f\u007f]/.test(path)) return "has characters that not every system takes";
  if (segments.some((segment) => segment === "" || /^\.|[. ]$/.test(segment)))
    return "has an empty, hidden or dotted part";
  if (segments.length < 2) return "is in no folder";
  if (segments.length > 16) return "has more than 16 parts";
  if (segments.includes("node_modules")) return "is of installed packages";
  return undefined;
}

/** Files of a pack that are programs, or that start some. */
export const programsIn = ({ files }: Pack): string[] =>
  files
    .filter(
      ({ path, text }) =>
        /^tools\/|^skills\/[^/]+\/scripts\//.test(path) ||
        (/^agents\//.test(path) && /\bstdio\b/i.test(text ?? "")),
    )
    .map(({ path }) => path);

const packInvalid = (why: string) =>
  new AppError("invalid", "pack_invalid", `The pack can't be used: ${why}.`);
