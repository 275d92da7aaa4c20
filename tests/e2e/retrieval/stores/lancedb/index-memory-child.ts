/** Fills the collection of a folder with rows. Prints by how many MiB its upkeep raised the memory of this process, and its indexes. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { connect } from "@lancedb/lancedb";
import { lanceStore, someCollection } from "../../../../support/lance-store.ts";

const [folder = "", rowCount = ""] = process.argv.slice(2);
const dimension = 384;
const perBatch = 5000;
const mib = (name: string) =>
  Number(new RegExp(`${name}:\\s+(\\d+)`).exec(readFileSync("/proc/self/status", "utf8"))?.[1]) / 1024;

const store = lanceStore(folder);
const rows = await store.open(someCollection, dimension);
let state = 11;
const next = () => {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return state / 2 ** 32 - 0.5;
};
for (let from = 0; from < Number(rowCount); from += perBatch) {
  const ids = Array.from({ length: perBatch }, (_, at) => `r${from + at}`);
  await rows.add({
    ids,
    groups: ids,
    write: "w1",
    texts: ids.map((id) => `words of ${id}`),
    metadata: ids.map(() => ({})),
    vectors: Float32Array.from({ length: perBatch * dimension }, next),
  });
}
Bun.gc(true);
// Forgets the highest memory so far.
writeFileSync("/proc/self/clear_refs", "5");
const before = mib("VmRSS");
await store.maintain?.(new AbortController().signal);
const grownMib = mib("VmHWM") - before;
await store.close();
const connection = await connect(join(folder, "vectors"));
const [name = ""] = await connection.tableNames();
const table = await connection.openTable(name);
const indexes = (await table.listIndices()).map((index) => index.name);
console.log(JSON.stringify({ grownMib, indexes }));
table.close();
connection.close();
