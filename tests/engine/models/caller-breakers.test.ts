import { expect, test } from "bun:test";
import { createBreakers } from "../../../src/engine/models/breakers.ts";
import { callerBreakers } from "../../../src/engine/models/caller-breakers.ts";
import { FakeClock } from "../../support/fake-clock.ts";

const key = { provider: "p", endpoint: "http://p/v1" };

/** Tenants are named after their owners: `ann 1` and `ann 2` belong to `ann`. */
function setUp() {
  const clock = new FakeClock();
  const shared = createBreakers(clock);
  const of = (tenant: string) => {
    const owner = () => tenant.split(" ")[0] ?? "";
    return callerBreakers({ account: tenant, owner }, { shared, own: createBreakers(clock) }).of(key);
  };
  return { clock, operator: shared.of(key), shared, of };
}

test("failures that one person provokes with two tenants open the circuit for that person alone", () => {
  for (const ending of ["doubtful", "failed"] as const) {
    const { operator, of } = setUp();
    for (let call = 0; call < 50; call++) {
      of("ann 1").enter()?.(ending);
      of("ann 2").enter()?.(ending);
    }
    expect(of("ann 3").enter()).toBeUndefined();
    expect(of("ann 3").probeDueInMs()).toBe(60_000);
    expect(of("bob 1").enter()).toBeDefined();
    expect(operator.enter()).toBeDefined();
  }
});

test("two persons together shut out neither the operator nor a third person, again and again", async () => {
  const { clock, operator, of } = setUp();
  for (let minute = 0; minute < 5; minute++) {
    for (const name of ["ann", "bob"]) {
      for (let call = 0; call < 4; call++) of(`${name} ${call}`).enter()?.("doubtful");
    }
    expect(of("ann 1").enter()).toBeUndefined();
    for (const innocent of [operator, of("cem 1")]) {
      // Several at once, as a customer has them.
      const calls = [innocent.enter(), innocent.enter()];
      expect(calls).not.toContain(undefined);
      for (const report of calls) report?.("succeeded");
    }
    await clock.advance(60_000);
  }
});

test("in a real outage each owner is shut out by its first failure, once two have seen it", () => {
  const { operator, of } = setUp();
  for (let call = 0; call < 3; call++) of("ann 1").enter()?.("doubtful");
  expect(operator.health()).toBe("healthy");
  of("bob 1").enter()?.("doubtful");
  expect(operator.health()).toBe("unavailable");
  of("cem 1").enter()?.("doubtful");
  expect(of("cem 1").enter()).toBeUndefined();
});

test("an owner whose calls have just succeeded is shut out by its third failure only", () => {
  const { of } = setUp();
  of("cem 1").enter()?.("succeeded");
  for (const name of ["ann", "bob"]) for (let call = 0; call < 3; call++) of(name).enter()?.("doubtful");
  of("cem 1").enter()?.("doubtful");
  of("cem 1").enter()?.("doubtful");
  const third = of("cem 1").enter();
  expect(third).toBeDefined();
  third?.("doubtful");
  expect(of("cem 1").enter()).toBeUndefined();
});

test("the success that ends a suspicion lets all who were shut out probe", async () => {
  const { clock, operator, of } = setUp();
  for (const name of ["ann", "bob"]) for (let call = 0; call < 3; call++) of(name).enter()?.("failed");
  await clock.advance(1_000);
  of("cem 1").enter()?.("succeeded");
  of("dee 1").enter()?.("succeeded");
  expect(operator.health()).toBe("healthy");
  const probe = of("ann 1").enter();
  expect(probe).toBeDefined();
  expect(of("ann 1").enter()).toBeUndefined();
  probe?.("succeeded");
  expect(of("ann 1").enter()).toBeDefined();
});

test("only its own owner sees a failure's reason", () => {
  const { operator, of } = setUp();
  const why = { code: "auth", message: "The key is wrong." };
  for (let call = 0; call < 3; call++) of("ann 1").enter()?.("failed", why);
  expect([of("ann 2"), of("bob 1"), operator].map((breaker) => breaker.ownReason())).toEqual([
    "auth",
    undefined,
    undefined,
  ]);
  // The operator's pages say what happened.
  expect(operator.state().lastFailure).toMatchObject(why);
});

test("a person without calls for an hour begins anew, and one without a verdict keeps the probe", async () => {
  const { clock, of } = setUp();
  for (let call = 0; call < 3; call++) of("ann 1").enter()?.("doubtful");
  await clock.advance(60_000);
  of("ann 1").enter()?.("released");
  const probe = of("ann 2").enter();
  expect(probe).toBeDefined();
  expect(of("ann 1").enter()).toBeUndefined();
  probe?.("succeeded");
  expect(of("ann 1").enter()).toBeDefined();
});

test("a tenant's own server has the tenant's breaker alone", () => {
  const { shared } = setUp();
  const own = createBreakers(new FakeClock());
  const caller = { account: "ann 1", owner: () => "ann" };
  const breaker = callerBreakers(caller, { shared, own }).of({ ...key, account: "ann 1" });
  for (let call = 0; call < 3; call++) breaker.enter()?.("failed");
  expect(breaker.enter()).toBeUndefined();
  expect(shared.list().map(({ health }) => health)).toEqual(["healthy"]);
});
