import {
  createECDH,
  createHash,
  createPrivateKey,
  generateKeyPairSync,
  hkdfSync,
  type KeyObject,
  randomBytes,
  sign,
} from "node:crypto";
import { bits, implicit, integer, isTrue, octets, oid, sequence, set, tagged, time, utf8 } from "./der.ts";

/*
 * Certificates between nodes. The key of the mesh's authority is derived from the secret that the nodes share, so each node makes its own
 * certificate, and knows those of the others by the authority. Nothing is stored and nothing is asked of another node. X.509 by RFC 5280,
 * with P-256 and ECDSA with SHA-256 (RFC 5480, RFC 5758).
 */

/** The name that nodes ask for: a certificate is for the mesh, not for an address. */
export const meshHost = "node.argosy-mesh";

const dayMs = 24 * 60 * 60 * 1000;
/** A node makes a new certificate long before the old one ends. */
export const certificateDays = 30;
/** Clocks of machines differ. */
const earlyMs = dayMs;

const ecdsaWithSha256 = sequence(oid("1.2.840.10045.4.3.2"));
const commonName = "2.5.4.3";

export interface MeshAuthority {
  /** PEM. */
  certificate: string;
  /** First 16 hex digits of the hash of its public key. */
  fingerprint: string;
  /** Makes a key and a certificate for a node, as PEM. */
  issue(node: string, now: Date): NodeCertificate;
}

export interface NodeCertificate {
  cert: string;
  key: string;
  renewAt: Date;
}

/** Order of P-256: a private key is a number from 1 to this minus 1. */
const order = BigInt("0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551");

/** Returns the authority of the mesh with this secret: the same key on each node. */
export function meshAuthority(secret: string, now: Date): MeshAuthority {
  // 16 bytes more than the key has, so that the remainder is as good as even.
  const derived = Buffer.from(hkdfSync("sha256", secret, "argosy mesh", "authority key 1", 48));
  const scalar = (BigInt(`0x${derived.toString("hex")}`) % (order - 1n)) + 1n;
  const curve = createECDH("prime256v1");
  curve.setPrivateKey(Buffer.from(scalar.toString(16).padStart(64, "0"), "hex"));
  const point = curve.getPublicKey();
  const key = createPrivateKey({
    format: "jwk",
    key: {
      kty: "EC",
      crv: "P-256",
      d: curve.getPrivateKey().toString("base64url"),
      x: point.subarray(1, 33).toString("base64url"),
      y: point.subarray(33).toString("base64url"),
    },
  });
  const publicKey = publicKeyInfo(point);
  const keyId = createHash("sha1").update(point).digest();
  const fingerprint = createHash("sha256").update(point).digest("hex").slice(0, 16);
  const issuer = nameOf(`argosy mesh ${fingerprint}`);
  const certificate = signed(key, {
    issuer,
    subject: issuer,
    publicKey,
    from: new Date(now.getTime() - earlyMs),
    until: new Date(now.getTime() + 100 * 365 * dayMs),
    extensions: [
      extension("2.5.29.19", sequence(isTrue), true),
      // Signs certificates.
      extension("2.5.29.15", bits(Buffer.from([0x04]), 2), true),
      extension("2.5.29.14", octets(keyId)),
    ],
  });
  return {
    certificate,
    fingerprint,
    issue(node, at) {
      const own = generateKeyPairSync("ec", { namedCurve: "P-256" });
      const cert = signed(key, {
        issuer,
        subject: nameOf(node),
        publicKey: own.publicKey.export({ format: "der", type: "spki" }),
        from: new Date(at.getTime() - earlyMs),
        until: new Date(at.getTime() + certificateDays * dayMs),
        extensions: [
          extension("2.5.29.19", sequence(), true),
          extension("2.5.29.15", bits(Buffer.from([0x80]), 7), true),
          extension("2.5.29.37", sequence(oid("1.3.6.1.5.5.7.3.1"), oid("1.3.6.1.5.5.7.3.2"))),
          extension("2.5.29.17", sequence(implicit(2, Buffer.from(meshHost)))),
          extension("2.5.29.35", sequence(implicit(0, keyId))),
        ],
      });
      return {
        cert,
        key: own.privateKey.export({ format: "pem", type: "pkcs8" }).toString(),
        renewAt: new Date(at.getTime() + (certificateDays / 2) * dayMs),
      };
    },
  };
}

interface Content {
  issuer: Uint8Array;
  subject: Uint8Array;
  publicKey: Uint8Array;
  from: Date;
  until: Date;
  extensions: readonly Uint8Array[];
}

function signed(key: KeyObject, { issuer, subject, publicKey, from, until, extensions }: Content): string {
  const content = sequence(
    tagged(0, integer(Buffer.from([2]))),
    integer(Buffer.concat([Buffer.from([0x01]), randomBytes(15)])),
    ecdsaWithSha256,
    issuer,
    sequence(time(from), time(until)),
    subject,
    publicKey,
    tagged(3, sequence(...extensions)),
  );
  const der = sequence(content, ecdsaWithSha256, bits(sign("sha256", content, key)));
  const lines = der.toString("base64").match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`;
}

const nameOf = (name: string) => sequence(set(sequence(oid(commonName), utf8(name.slice(0, 64)))));

const publicKeyInfo = (point: Uint8Array) =>
  sequence(sequence(oid("1.2.840.10045.2.1"), oid("1.2.840.10045.3.1.7")), bits(point));

const extension = (id: string, content: Uint8Array, isCritical = false) =>
  sequence(oid(id), ...(isCritical ? [isTrue] : []), octets(content));
