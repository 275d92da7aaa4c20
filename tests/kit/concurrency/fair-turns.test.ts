import { expect, test } from "bun:test";
import { fairTurns } from "../../../src/kit/concurrency/fair-turns.ts";
import { settle } from "../../support/fake-clock.ts";

function setUp(placesMax: number, ownPlacesMax: number) {
  const turns = fairTurns({ placesMax, ownPlacesMax });
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const add = (name: string) => {
    const [owner = ""] = name;
    void turns(owner, async (place) => {
      begun.push(`${name}@${place}`);
      await new Promise<void>((resolve) => ends.set(name, resolve));
    });
  };
  const end = async (name: string) => {
    ends.get(name)?.();
    await settle();
  };
  return { add, end, begun };
}

test("one owner's long tasks leave a place to others, who take turns", async () => {
  const { add, end, begun } = setUp(2, 1);
  for (const name of ["a1", "a2", "a3", "b1", "b2", "b3", "c1"]) add(name);
  await settle();
  expect(begun).toEqual(["a1@0", "b1@1"]);
  await end("b1");
  await end("b2");
  await end("c1");
  expect(begun).toEqual(["a1@0", "b1@1", "b2@1", "c1@1", "b3@1"]);
  await end("a1");
  expect(begun.at(-1)).toStartWith("a2@");
});

test("a task that fails gives its place back", async () => {
  const turns = fairTurns({ placesMax: 1, ownPlacesMax: 1 });
  const failed = turns("a", () => Promise.reject(new Error("bad"))).catch(() => "failed");
  const next = turns("a", async (place) => place);
  expect(await Promise.all([failed, next])).toEqual(["failed", 0]);
});
