import { expect, test } from "bun:test";
import { checkTree } from "../../scripts/imports/check-tree.ts";
import { writeTree } from "./source-tree.ts";

const faultsOf = (files: Record<string, string>) =>
  checkTree(writeTree(files)).faults.map(({ path, line, rule }) => `${path}:${line} ${rule}`);

test.each([
  ["interface Call {}"],
  ["type Call = string;"],
  ["class Call {}"],
  ["abstract class Call {}"],
  ["enum Call {}"],
])("an exported name of a type has one home: `%s` is refused in a second file", (declaration) => {
  const first = { "src/kit/a.ts": "export interface Call {}\n" };
  expect(faultsOf({ ...first, "src/kit/b.ts": `\nexport ${declaration}\n` })).toEqual([
    "src/kit/b.ts:2 src/kit/a.ts exports a type named Call, too: choose another name",
  ]);
});

test("what is not exported, passed on, or no type may have the name of one, as may a value and a type of one file", () => {
  expect(
    faultsOf({
      "src/kit/a.ts": "export const Call = 1;\nexport type Call = number;\n",
      "src/kit/b.ts": 'type Call = number;\nexport type { Call } from "./a.ts";\n',
      "src/kit/c.ts": "export const Call = 1;\n// export type Call = 1;\n",
    }),
  ).toEqual([]);
});
