import { expect, test } from "bun:test";
import { parse } from "yaml";
import { appendToManifest } from "../../../../src/console/studio/agents/manifest/change-manifest.ts";
import {
  collectionTool,
  starterManifest,
} from "../../../../src/console/studio/agents/manifest/starter-manifest.ts";
import { problemsIn } from "../../../manifest/agent-text.ts";

test.each(["teas", "a.b-c_d", "x".repeat(63)])("the starter with the collection %s is an agent", (name) => {
  const text = appendToManifest(starterManifest("assistant"), ["spec", "tools"], collectionTool(name));
  expect(problemsIn(text)).toEqual([]);
  const [, tool] = parse(text).spec.tools;
  expect(tool.type).toBe("rag");
  expect(tool.config).toEqual({ collection: name });
});
