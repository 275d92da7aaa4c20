import { expect, test } from "bun:test";
import { scoresByVersion } from "../../../src/console/parts/eval-scores.tsx";

const run = (
  id: string,
  of: string,
  version: string | undefined,
  rate: number | null,
  status = "complete",
) => ({
  id,
  eval: of,
  version,
  pass_rate: rate,
  status,
});

test("a version has the newest complete run of each eval that asked it", () => {
  const runs = [
    run("6", "kind", "b", null, "running"),
    run("5", "kind", "b", 0.5),
    run("4", "kind", "b", 0.9),
    run("3", "short", "b", 1, "cancelled"),
    run("2", "short", "a", 1),
    run("1", "kind", undefined, 1),
  ];
  const scores = scoresByVersion(
    runs,
    ({ version }) => version,
    (id) => `/runs/${id}`,
  );
  expect([...scores]).toEqual([
    ["b", [{ eval: "kind", rate: 0.5, href: "/runs/5" }]],
    ["a", [{ eval: "short", rate: 1, href: "/runs/2" }]],
  ]);
});
