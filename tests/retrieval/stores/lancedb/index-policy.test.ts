import { expect, test } from "bun:test";
import {
  dueUpkeep,
  probesOf,
  type TableState,
  type Upkeep,
} from "../../../../src/retrieval/stores/lancedb/index-policy.ts";

const still: TableState = {
  rows: 1000,
  smallFragments: 1,
  textsUnindexed: 0,
  hasRemoved: false,
  hasOldVersions: false,
};

test.each([
  ["a small table that nobody wrote to", {}, { optimize: false }],
  ["no rows", { rows: 0 }, { optimize: false }],
  ["19,999 rows", { rows: 19_999 }, { optimize: false }],
  ["20,000 rows", { rows: 20_000 }, { optimize: false, partitions: 141 }],
  ["a million rows", { rows: 1_000_000 }, { optimize: false, partitions: 1000 }],
  [
    "an index as large as it should be",
    { rows: 20_000, vectors: { unindexed: 0, partitions: 141 } },
    { optimize: false },
  ],
  [
    "an index of half that",
    { rows: 79_000, vectors: { unindexed: 0, partitions: 141 } },
    { optimize: false },
  ],
  [
    "an index of a quarter of the rows",
    { rows: 80_000, vectors: { unindexed: 0, partitions: 141 } },
    { optimize: false, partitions: 283 },
  ],
  ["a table that shrank", { rows: 100, vectors: { unindexed: 0, partitions: 316 } }, { optimize: false }],
  ["1,000 texts without an index", { textsUnindexed: 1000 }, { optimize: false }],
  ["1,001 texts without an index", { textsUnindexed: 1001 }, { optimize: true }],
  [
    "a tenth of the vectors without the index",
    { rows: 30_000, vectors: { unindexed: 3001, partitions: 141 } },
    { optimize: true },
  ],
  [
    "5,001 of very many vectors",
    { rows: 79_000, vectors: { unindexed: 5001, partitions: 281 } },
    { optimize: true },
  ],
  ["31 small files", { smallFragments: 31 }, { optimize: false }],
  ["32 small files", { smallFragments: 32 }, { optimize: true }],
  ["removed rows", { hasRemoved: true }, { optimize: true }],
  ["versions that nobody reads", { hasOldVersions: true }, { optimize: true }],
] as [string, Partial<TableState>, Upkeep][])("%s", (_, difference, expected) => {
  expect(dueUpkeep({ ...still, ...difference })).toEqual(expected);
});

test.each([
  [141, 20],
  [200, 20],
  [316, 32],
  [1000, 100],
])("of %d partitions %d are looked at", (partitions, probes) => {
  expect(probesOf(partitions)).toBe(probes);
});
