import { expect, test } from "bun:test";
import { type CallEnding, createBreakers } from "../../../src/engine/models/breakers.ts";
import { FakeClock } from "../../support/fake-clock.ts";

function setUp() {
  const clock = new FakeClock();
  const breakers = createBreakers(clock);
  const breaker = breakers.of({ provider: "p", endpoint: "http://p/v1" });
  const end = (ending: CallEnding) => breaker.enter()?.(ending);
  return { clock, breakers, breaker, end };
}

test("health is healthy, degraded after one failure or two, unavailable when open, until a probe succeeds", async () => {
  const { clock, breaker, end } = setUp();
  const seen = [breaker.health()];
  for (let failure = 0; failure < 3; failure++) {
    end("failed");
    seen.push(breaker.health());
  }
  await clock.advance(60_000);
  seen.push(breaker.health());
  end("succeeded");
  seen.push(breaker.health());
  expect(seen).toEqual(["healthy", "degraded", "degraded", "unavailable", "unavailable", "healthy"]);
});

test("a failed reachability check degrades and never opens; a good one, or a good call, heals", () => {
  const { breaker, end } = setUp();
  for (let check = 0; check < 10; check++) breaker.recordProbe(false);
  expect(breaker.health()).toBe("degraded");
  expect(breaker.enter()).toBeDefined();
  breaker.recordProbe(true);
  expect(breaker.health()).toBe("healthy");
  breaker.recordProbe(false);
  end("succeeded");
  expect(breaker.health()).toBe("healthy");
});

test("only the first report of a call counts", () => {
  const { breaker } = setUp();
  const report = breaker.enter();
  for (let times = 0; times < 5; times++) report?.("failed");
  expect(breaker.health()).toBe("degraded");
});

test("says when the probe is due", async () => {
  const { clock, breaker, end } = setUp();
  expect(breaker.probeDueInMs()).toBe(0);
  for (let failure = 0; failure < 3; failure++) end("failed");
  await clock.advance(18_000);
  expect(breaker.probeDueInMs()).toBe(42_000);
  await clock.advance(60_000);
  expect(breaker.probeDueInMs()).toBe(0);
});

test("takes its threshold and cool-down from the settings", async () => {
  const clock = new FakeClock();
  const breaker = createBreakers(clock, { failureThreshold: 1, cooldownMs: 5000 }).of({ provider: "p" });
  breaker.enter()?.("failed");
  expect(breaker.enter()).toBeUndefined();
  await clock.advance(5000);
  expect(breaker.enter()).toBeDefined();
});

test("one breaker per provider, endpoint and account, listed with its health", () => {
  const { breakers, end } = setUp();
  end("failed");
  breakers.of({ provider: "p", endpoint: "http://p/v1", account: "t" });
  breakers.of({ provider: "q" });
  expect(breakers.of({ provider: "p", endpoint: "http://p/v1" }).health()).toBe("degraded");
  expect(breakers.list()).toMatchObject([
    { provider: "p", endpoint: "http://p/v1", health: "degraded" },
    { provider: "p", endpoint: "http://p/v1", account: "t", health: "healthy" },
    { provider: "q", health: "healthy" },
  ]);
});

test("tells what opened it and what probes found", async () => {
  const { clock, breaker } = setUp();
  const mishap = { code: "auth", message: "The key is wrong." };
  expect(breaker.state()).toEqual({ health: "healthy", phase: "closed", failures: 0 });
  breaker.recordProbe(false, mishap);
  expect(breaker.state()).toMatchObject({ health: "degraded", reachable: false, probeFault: mishap });
  for (let failure = 0; failure < 3; failure++) breaker.enter()?.("failed", mishap);
  const openedAt = clock.now();
  await clock.advance(60_000);
  expect(breaker.state()).toMatchObject({
    phase: "open",
    openedAt,
    lastFailure: { ...mishap, at: openedAt },
  });
  const probe = breaker.enter();
  expect(breaker.state()).toMatchObject({ phase: "half_open", openedAt });
  probe?.("succeeded");
  expect(breaker.state()).toEqual({
    health: "healthy",
    phase: "closed",
    failures: 0,
    lastFailure: { ...mishap, at: openedAt },
    reachable: true,
  });
});
