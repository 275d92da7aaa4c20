import { expect, test } from "bun:test";
import { createBreakers } from "../../../src/engine/models/breakers.ts";
import { callerBreakers } from "../../../src/engine/models/caller-breakers.ts";
import { FakeClock } from "../../support/fake-clock.ts";

const key = { provider: "p", endpoint: "http://p/v1" };

function setUp() {
  const clock = new FakeClock();
  const shared = createBreakers(clock);
  const of = (caller: string) => callerBreakers(caller, { shared, own: createBreakers(clock) }).of(key);
  return { clock, operator: shared.of(key), ann: of("ann"), bob: of("bob"), shared, of };
}

test("doubtful failures of one caller close the provider to that caller alone, and colour nothing", () => {
  const { operator, ann, bob } = setUp();
  for (let call = 0; call < 50; call++) ann.enter()?.("doubtful", { code: "unusable", message: "Odd." });
  expect(ann.enter()).toBeUndefined();
  expect(ann.probeDueInMs()).toBe(60_000);
  expect(operator.state()).toEqual({ health: "healthy", phase: "closed", failures: 0 });
  expect(bob.enter()).toBeDefined();
  expect(operator.enter()).toBeDefined();
});

test("a second caller who sees the same confirms it", () => {
  const { operator, ann, bob } = setUp();
  ann.enter()?.("doubtful");
  ann.enter()?.("doubtful");
  expect(operator.health()).toBe("healthy");
  bob.enter()?.("doubtful");
  expect(operator.health()).toBe("unavailable");
});

test("a success of anybody forgets doubts", () => {
  const { operator, ann, bob } = setUp();
  ann.enter()?.("doubtful");
  ann.enter()?.("doubtful");
  bob.enter()?.("succeeded");
  bob.enter()?.("doubtful");
  expect(operator.health()).toBe("healthy");
});

test("a failure that no request leads to counts for everybody", () => {
  const { operator, ann } = setUp();
  for (let call = 0; call < 3; call++) ann.enter()?.("failed");
  expect(operator.health()).toBe("unavailable");
});

test("the shared probe is returned when its holder is cancelled or leaves a doubt", async () => {
  for (const ending of ["released", "doubtful"] as const) {
    const { clock, operator, ann, bob } = setUp();
    for (let call = 0; call < 3; call++) operator.enter()?.("failed");
    await clock.advance(60_000);
    const probe = ann.enter();
    expect(bob.enter()).toBeUndefined();
    probe?.(ending);
    expect(bob.enter()).toBeDefined();
  }
});

test("a caller refused by the shared circuit keeps its own probe", async () => {
  const { clock, operator, ann } = setUp();
  for (let call = 0; call < 3; call++) ann.enter()?.("doubtful");
  for (let call = 0; call < 3; call++) operator.enter()?.("failed");
  await clock.advance(60_000);
  const probe = operator.enter();
  expect(ann.enter()).toBeUndefined();
  probe?.("succeeded");
  expect(ann.enter()).toBeDefined();
});

test("a caller's own server has the caller's breaker alone", () => {
  const { shared } = setUp();
  const own = createBreakers(new FakeClock());
  const breaker = callerBreakers("ann", { shared, own }).of({ ...key, account: "ann" });
  for (let call = 0; call < 3; call++) breaker.enter()?.("failed");
  expect(breaker.enter()).toBeUndefined();
  expect(shared.list().map(({ health }) => health)).toEqual(["healthy"]);
});
