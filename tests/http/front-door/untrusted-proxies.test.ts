import { expect, test } from "bun:test";
import { readTrustedProxies } from "../../../src/http/front-door/trusted-proxies.ts";
import { UntrustedProxies } from "../../../src/http/front-door/untrusted-proxies.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import { recordingLogger } from "../../support/recording-logger.ts";

const dayMs = 86_400_000;

function watch() {
  const clock = new FakeClock();
  const { log, logged } = recordingLogger();
  const proxies = new UntrustedProxies(log, clock, readTrustedProxies(["10.1.0.0/16"]).proxies);
  const note = (peer: string | undefined, headers: HeadersInit = { forwarded: "for=203.0.113.7" }) =>
    proxies.note(new Headers(headers), () => peer);
  return { clock, proxies, note, warned: () => logged.map(({ fields }) => fields?.address) };
}

test("a proxy that isn't trusted is warned of once a day", async () => {
  const { clock, proxies, note, warned } = watch();
  for (let time = 0; time < 3; time++) note("10.0.0.9", { "x-forwarded-for": "203.0.113.7" });
  note("127.0.0.1");
  expect([warned(), proxies.proxies()]).toEqual([
    ["10.0.0.9", "127.0.0.1"],
    ["10.0.0.9", "127.0.0.1"],
  ]);
  await clock.advance(dayMs);
  expect(proxies.proxies()).toEqual([]);
  note("10.0.0.9");
  expect(warned()).toEqual(["10.0.0.9", "127.0.0.1", "10.0.0.9"]);
});

test("trusted proxies, requests without the headers and connections without an address are not", () => {
  const { proxies, note, warned } = watch();
  note("10.1.2.3");
  note("10.0.0.9", {});
  note("10.0.0.9", { "x-forwarded-proto": "https" });
  note(undefined);
  expect([warned(), proxies.proxies()]).toEqual([[], []]);
});

test("callers that invent the headers fill neither the log nor the memory", () => {
  const { proxies, note, warned } = watch();
  for (let caller = 0; caller < 200; caller++) note(`198.18.0.${caller}`);
  for (let caller = 0; caller < 200; caller++) note(`8.8.${caller}.8`);
  expect(warned()).toHaveLength(20);
  expect(proxies.proxies().length).toBeLessThanOrEqual(20);
});
