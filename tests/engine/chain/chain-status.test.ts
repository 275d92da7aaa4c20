import { expect, test } from "bun:test";
import { chainStatus } from "../../../src/engine/chain/run-chain.ts";

type Status = "success" | "error" | "skipped";

test.each<[links: Status[], stopped: boolean, expected: string]>([
  [[], false, "completed"],
  [["success", "success"], false, "completed"],
  [["skipped", "skipped"], false, "completed"],
  [["success", "skipped"], false, "completed"],
  [["success", "error"], false, "partial"],
  [["error", "success", "skipped"], false, "partial"],
  [["error"], false, "failed"],
  [["error", "skipped"], false, "failed"],
  [["success", "error"], true, "failed"],
  [["success", "skipped"], true, "failed"],
])("%j, stopped %p: %s", (links, stopped, expected) => {
  expect(
    chainStatus(
      links.map((status) => ({ status })),
      stopped,
    ),
  ).toBe(expected as ReturnType<typeof chainStatus>);
});
