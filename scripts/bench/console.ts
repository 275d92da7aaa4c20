/**
 * Measures the console's cost for a reader and the server: bytes of the first load, files and data apart, time until its data is on the screen
 * (cold and warm browser), and requests of an idle page in an hour.
 *
 *   scripts/build && node_modules/.bin/bun scripts/bench/console.ts [--rounds 5]
 */
import type { Page } from "playwright-core";
import { openBrowser, visit } from "../../tests/support/browser.ts";
import { settled } from "../../tests/support/console-page.ts";
import { startConsoleWorld } from "../../tests/support/console-world.ts";
import { median } from "./figures.ts";
import { readOptions } from "./options.ts";

const { rounds } = readOptions({ rounds: 5 });
await using world = await startConsoleWorld();
await using browser = await openBrowser();
await using opened = await visit(browser, "about:blank");
const { page } = opened;

const wire = await page.context().newCDPSession(page);
await wire.send("Network.enable");
const ofData = new Set<string>();
wire.on("Network.requestWillBeSent", ({ requestId, request }) => {
  if (new URL(request.url).pathname.startsWith("/console/api/")) ofData.add(requestId);
});
const bytes = { files: 0, data: 0 };
wire.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
  bytes[ofData.has(requestId) ? "data" : "files"] += encodedDataLength;
});
const cold = await timeToData(page, await world.link());
const kib = (count: number) => (count / 1024).toFixed(0);
console.log(
  `first load ${kib(bytes.files)} KiB of files and ${kib(bytes.data)} KiB of data over the wire, shown after ${cold.toFixed(0)} ms (cold)`,
);

const warm: number[] = [];
for (let round = 0; round < rounds; round++)
  warm.push(await timeToData(page, new URL("/studio", page.url()).href));
console.log(`warm: median ${median(warm).toFixed(0)} ms of ${rounds} rounds`);

await page.clock.install();
let asked = 0;
page.on("request", () => asked++);
await page.clock.fastForward("01:00:00");
console.log(`an hour untouched: ${asked} requests`);

/** Returns the milliseconds from the navigation until the page has no pending requests. */
async function timeToData(target: Page, url: string): Promise<number> {
  const startedAt = performance.now();
  await target.goto(url);
  await settled(target);
  return performance.now() - startedAt;
}
