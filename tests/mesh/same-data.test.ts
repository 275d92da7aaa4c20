import { expect, test } from "bun:test";
import type { MeshData } from "../../src/contracts/daemon/mesh.ts";
import { dataRefusal } from "../../src/mesh/same-data.ts";

const data = (over: Partial<MeshData> = {}): MeshData => ({
  database: ["d1"],
  sealing: ["s1"],
  signing: ["j1"],
  ...over,
});
const own = data({ database: null });

const rows: [string, MeshData | null | undefined, MeshData | null | undefined, string | undefined][] = [
  ["the same database and keys", data(), data(), undefined],
  ["two databases", data(), data({ database: ["d2"] }), "another database"],
  ["a shared database and an own one", data(), own, "another database"],
  ["own databases, whatever the keys", own, data({ database: null, sealing: ["s2"] }), undefined],
  ["a database that one saw before a key was added", data(), data({ database: ["d2", "d1"] }), undefined],
  ["other sealing keys", data(), data({ sealing: ["s2"] }), "other sealing keys"],
  ["other signing keys", data(), data({ signing: ["j2"] }), "other signing keys"],
  ["a further key that one knows and doesn't use", data(), data({ sealing: ["s1", "s2"] }), undefined],
  ["a new key that only one knows and uses", data(), data({ sealing: ["s2", "s1"] }), "other sealing keys"],
  ["a new key that both know", data({ sealing: ["s1", "s2"] }), data({ sealing: ["s2", "s1"] }), undefined],
  ["no signing keys on one side", data(), data({ signing: [] }), undefined],
  ["a node that keeps no data", data(), null, undefined],
  ["an earlier version", data(), undefined, undefined],
];

test.each(rows)("%s", (_title, one, other, difference) => {
  for (const [here, there] of [
    [one, other],
    [other, one],
  ]) {
    const refusal = dataRefusal({ name: "a", data: here }, { name: "b", data: there });
    expect(refusal?.message).toBe(
      difference && `Node b has ${difference} than node a, so it isn't admitted to the mesh.`,
    );
    expect(refusal?.kind).toBe(difference === undefined ? undefined : "conflict");
  }
});
