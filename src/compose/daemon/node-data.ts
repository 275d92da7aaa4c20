import type { MeshData } from "../../contracts/daemon/mesh.ts";
import { derivedKey, type KeyRing, parseKeyRing } from "../../storage/sealing/key-ring.ts";
import type { Storage } from "../../storage/storage.ts";
import type { Config } from "../settings/config.ts";

/**
 * Returns the identity of this node's database and keys, which other nodes compare with theirs; null for an inference node, which keeps no
 * data. The proofs of sealing keys are random, so no two databases have the same one.
 */
export async function nodeData(
  { role, secrets }: Pick<Config, "role" | "secrets">,
  storage: Storage,
): Promise<MeshData | null> {
  if (role === "inference") return null;
  if (storage.dialect === "sqlite") return { database: null, sealing: [], signing: [] };
  const proofs = await storage.read.select().from(storage.tables.sealingKeys);
  return {
    database: proofs.map(({ kid, proof }) => fingerprint(`${kid}\n${proof}`)),
    sealing: fingerprintsOf("ARGOSY_SEALING_KEYS", secrets.sealingKeys),
    signing: fingerprintsOf("ARGOSY_JWT_KEYS", secrets.jwtKeys),
  };
}

function fingerprintsOf(name: string, keys: string | undefined): string[] {
  const ring: readonly KeyRing[number][] = keys === undefined ? [] : parseKeyRing(name, keys);
  return ring.map((key) => fingerprint(derivedKey(key, "identity")));
}

const fingerprint = (value: string | Uint8Array): string =>
  new Bun.CryptoHasher("sha256").update(value).digest("base64url").slice(0, 22);
