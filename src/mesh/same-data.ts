import type { MeshData } from "../contracts/daemon/mesh.ts";
import { AppError } from "../kit/app-error.ts";

/** A node and the data that it keeps. `undefined`: an earlier version, which doesn't say; null: it keeps none of others. */
export interface DataKeeper {
  name: string;
  data: MeshData | null | undefined;
}

export const otherData = "node_data_differs";

/**
 * Returns the refusal of a node whose database or keys are others than this node's; undefined if both may work together. Otherwise each
 * would count runs, budgets and sessions by itself, or store secrets that the other can't open. Nodes that all have their own SQLite files
 * share nothing, so their keys may differ.
 */
export function dataRefusal(own: DataKeeper, other: DataKeeper): AppError | undefined {
  const difference = own.data && other.data && differenceOf(own.data, other.data);
  if (!difference) return undefined;
  return new AppError(
    "conflict",
    otherData,
    `Node ${other.name} has ${difference.has} than node ${own.name}, so it isn't admitted to the mesh.`,
    {
      details: {
        hint: `${difference.mend} A node with PLATFORM_ROLE=mesh-inference keeps no data and needs neither.`,
      },
    },
  );
}

function differenceOf(own: MeshData, other: MeshData): { has: string; mend: string } | undefined {
  const { database: here } = own;
  const { database: there } = other;
  if (here === null && there === null) return undefined;
  if (here === null || there === null || !there.some((print) => here.includes(print))) {
    const mend = "Set the same DATABASE_URL, ARGOSY_SEALING_KEYS and ARGOSY_JWT_KEYS on all nodes.";
    return { has: "another database", mend };
  }
  if (!areCompatible(own.sealing, other.sealing))
    return { has: "other sealing keys", mend: "Set the same ARGOSY_SEALING_KEYS on all nodes." };
  if (!areCompatible(own.signing, other.signing))
    return { has: "other signing keys", mend: "Set the same ARGOSY_JWT_KEYS on all nodes." };
  return undefined;
}

/** Each must know the key that the other uses. While keys are changed, one may know further ones. A node without such keys uses none. */
function areCompatible(own: readonly string[], other: readonly string[]): boolean {
  const [used] = own;
  const [usedThere] = other;
  if (used === undefined || usedThere === undefined) return true;
  return other.includes(used) && own.includes(usedThere);
}
