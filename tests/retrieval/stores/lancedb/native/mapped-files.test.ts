import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import {
  forgetCached,
  mappingsOf,
  releasePackedFiles,
} from "../../../../../src/retrieval/stores/lancedb/native/mapped-files.ts";

const maps = `00200000-01a39000 r--p 00000000 fe:00 2171051                            /opt/argosy
06867000-0b88a000 rw-p 0665e000 fe:00 2171051                            /opt/argosy
45be8000-462eb000 rw-p 00000000 00:00 0                                  [heap]
7f9000000000-7f9100000000 rw-p 00000000 00:00 0 
7f9196330000-7f919e071000 r-xp 00530000 fe:00 2171098                    /data/with space/lancedb.node
`;

test("mappings of files have an address, a size, an access and a path", () => {
  expect(mappingsOf(maps)).toEqual([
    { address: 0x200000, bytes: 0x1839000, access: "r--p", path: "/opt/argosy" },
    { address: 0x6867000, bytes: 0x5023000, access: "rw-p", path: "/opt/argosy" },
    {
      address: 0x7f9196330000,
      bytes: 0x7d41000,
      access: "r-xp",
      path: "/data/with space/lancedb.node",
    },
  ]);
});

test.skipIf(process.platform !== "linux")("this process finds its own executable", () => {
  const own = mappingsOf(readFileSync("/proc/self/maps", "utf8"));
  expect(own.some(({ path, access }) => path === process.execPath && access === "r-xp")).toBe(true);
});

test("releasing packed files keeps what was written, and a missing file is not a fault", () => {
  const before = JSON.stringify(process.versions);
  releasePackedFiles();
  forgetCached("/no/such/file");
  expect(JSON.stringify(process.versions)).toBe(before);
});
