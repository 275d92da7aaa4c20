import { expect, test } from "bun:test";
import { raceClosing } from "../../../support/closing-races.ts";
import { postAtRandom } from "../../../support/ledger-postings.ts";
import { startPlatform } from "../../../support/platform.ts";
import { onEachEngine } from "../../../support/storage-engines.ts";

onEachEngine("the books", (engine) => {
  test("an event against the closing of its period is in the charges or refused, never both, never neither", async () => {
    await using platform = await startPlatform(engine);
    const { counted, refused, wrong } = await raceClosing(platform, 50, 3);
    expect(wrong).toEqual([]);
    expect(counted + refused).toBe(200);
    expect(counted).toBeGreaterThan(0);
    expect(refused).toBeGreaterThan(0);
  });

  test("random postings add up as they do in integers of any size", async () => {
    await using platform = await startPlatform(engine);
    const { bills, differences, postedMicros } = await postAtRandom(platform, 3000, 5);
    expect(differences).toEqual([]);
    expect(bills).toBe(20);
    expect(postedMicros).toBeGreaterThan(1_000_000_000n);
  });
});
