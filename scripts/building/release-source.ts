import { createPrivateKey, createPublicKey, type KeyObject } from "node:crypto";
import { readFileSync } from "node:fs";

/** Where the executables of a publisher find newer ones, and the key that they believe. */
export interface PublishedSource {
  url: string;
  /** Public key: ed25519, 32 bytes in base64. */
  key: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads ARGOSY_RELEASE_URL and ARGOSY_RELEASE_KEY, or the key of ARGOSY_SIGNING_KEY. Returns undefined without them: such an executable does
 * not upgrade itself. Throws if one of them is missing or not valid.
 */
export function publishedSource(environment: Environment): PublishedSource | undefined {
  const { ARGOSY_RELEASE_URL: url = "", ARGOSY_RELEASE_KEY: named = "" } = environment;
  const signing = signingKey(environment);
  const own = signing === undefined ? "" : publicKeyOf(signing);
  if (named !== "" && own !== "" && named !== own)
    throw new Error("ARGOSY_RELEASE_KEY is not the public key of ARGOSY_SIGNING_KEY.");
  const key = named || own;
  if (url === "" && key === "") return undefined;
  if (!isReleaseUrl(url))
    throw new Error(`ARGOSY_RELEASE_URL must be an https:// address, got ${JSON.stringify(url)}.`);
  if (Buffer.from(key, "base64").length !== 32)
    throw new Error(
      `ARGOSY_RELEASE_KEY must be a public key of 32 bytes in base64, got ${JSON.stringify(key)}.`,
    );
  return { url: url.replace(/\/+$/, ""), key };
}

/** Returns the private key in the file that ARGOSY_SIGNING_KEY names: PEM, as `openssl genpkey -algorithm ed25519` writes it. */
export function signingKey({ ARGOSY_SIGNING_KEY: path = "" }: Environment): KeyObject | undefined {
  if (path === "") return undefined;
  const key = createPrivateKey(readFileSync(path));
  if (key.asymmetricKeyType !== "ed25519") throw new Error(`${path} is not a private key of ed25519.`);
  return key;
}

const publicKeyOf = (key: KeyObject): string =>
  createPublicKey(key).export({ format: "der", type: "spki" }).subarray(-32).toString("base64");

/** Plain http is for a publisher's trial on the same machine; the signature is checked there as well. */
function isReleaseUrl(text: string): boolean {
  const { protocol, hostname, search, hash } = URL.parse(text) ?? {};
  if (search !== "" || hash !== "") return false;
  return (
    protocol === "https:" || (protocol === "http:" && (hostname === "127.0.0.1" || hostname === "localhost"))
  );
}
