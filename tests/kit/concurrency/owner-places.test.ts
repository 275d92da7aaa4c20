import { expect, test } from "bun:test";
import { KnownOwners } from "../../../src/kit/concurrency/known-owners.ts";
import { OwnerLine } from "../../../src/kit/concurrency/owner-line.ts";
import { leavesRoom, OwnerPlaces, roomBeside } from "../../../src/kit/concurrency/owner-places.ts";

/** Takes places for an owner until it may take no more; returns their number. */
function takeAll(places: OwnerPlaces, owner: string): number {
  let taken = 0;
  while (places.mayTake(owner)) {
    places.take(owner);
    taken++;
  }
  return taken;
}

test("greedy owners leave each later one a place, as long as there are any", () => {
  const places = new OwnerPlaces(64);
  const taken = ["a", "b", "c", "d", "e", "f", "g", "h"].map((owner) => takeAll(places, owner));
  expect(taken).toEqual([32, 16, 8, 4, 2, 1, 1, 0]);
  expect(new OwnerPlaces(4).free).toBe(4);
});

test("with three places for each that is free, a single owner gets three quarters", () => {
  const places = new OwnerPlaces(64, 3);
  expect([takeAll(places, "a"), takeAll(places, "b"), takeAll(places, "c")]).toEqual([48, 12, 3]);
  expect(places.full().sort()).toEqual(["a", "b", "c"]);
  expect(takeAll(places, "d")).toBe(1);
});

test("the last free place goes to an owner without any", () => {
  for (const perFree of [1, 2, 3, 8]) {
    for (let own = 1; own < 20; own++) expect(leavesRoom(own, 1, perFree)).toBe(false);
    expect(leavesRoom(0, 1, perFree)).toBe(true);
    expect(leavesRoom(0, 0, perFree)).toBe(false);
  }
});

test("the room beside others is what single places would give", () => {
  for (const perFree of [1, 3]) {
    for (let own = 0; own < 40; own++) {
      for (let free = 0; free < 40; free++) {
        let single = 0;
        while (leavesRoom(own + single, free - single, perFree)) single++;
        expect([own, free, roomBeside(own, free, perFree)]).toEqual([own, free, single]);
      }
    }
  }
});

test("what is given at once goes to no owner beyond its share, even if one takes all", () => {
  const places = new OwnerPlaces(64, 3);
  for (let round = 0; round < 20; round++) {
    const { room } = places;
    for (let taken = 0; taken < room; taken++) {
      expect(places.mayTake("greedy")).toBe(true);
      places.take("greedy");
    }
    if (places.full().includes("greedy")) break;
  }
  expect(places.free).toBe(16);
});

test("the turn is that of the owner that has had none for the longest", () => {
  const places = new OwnerPlaces(1);
  const waiting = ["greedy", "greedy", "greedy", "modest"];
  const order: string[] = [];
  while (waiting.length > 0) {
    const next = places.next(waiting, (owner) => owner);
    if (next === undefined) throw new Error("nobody may");
    waiting.splice(waiting.indexOf(next), 1);
    const leave = places.take(next);
    expect(places.next(waiting, (owner) => owner)).toBeUndefined();
    order.push(next);
    leave();
    leave();
  }
  expect(order).toEqual(["greedy", "modest", "greedy", "greedy"]);
  expect(places.free).toBe(1);
});

test("waiting owners take turns, and one that leaves delays no other", () => {
  const line = new OwnerLine<string>();
  for (const one of ["g1", "g2", "g3", "m1", "m2"]) line.add(one[0] ?? "", one);
  line.remove("g", "g2");
  line.remove("nobody", "g2");
  expect(line.next((owner) => owner === "m")?.one).toBe("m1");
  const rest: string[] = [];
  for (let next = line.next(); next !== undefined; next = line.next()) rest.push(next.one);
  expect(rest).toEqual(["g1", "m2", "g3"]);
  expect(line.isEmpty).toBe(true);
});

test("a tenant's owner is the last one set, else the tenant, under names that never collide", () => {
  const owners = new KnownOwners();
  owners.told("t1", "ann");
  owners.told("t2", "ann");
  expect(owners.of("t1")).toBe(owners.of("t2"));
  expect(owners.of("ann")).toBe("ann");
  expect(owners.of("t1")).not.toBe("ann");
  expect(owners.tenantsOf(owners.of("t1"))).toEqual(["t1", "t2"]);
  owners.told("t1", "bob");
  expect(owners.of("t1")).not.toBe(owners.of("t2"));
  expect(owners.tenantsOf(owners.of("t2"))).toEqual(["t2"]);
  owners.told("t1", undefined);
  expect([owners.of("t1"), owners.isTold("t1"), owners.tenantsOf("t1")]).toEqual(["t1", false, ["t1"]]);
});
