/**
 * Kills a gateway while it sends, and counts at the provider what was lost and what was sent twice although a receipt told of it.
 *
 *   bun scripts/bench/outbox-kills.ts [kills] [messages]
 */
import { killOutbox } from "./campaign/outbox-lives.ts";

const [kills = 10_000, messages = 20_000] = process.argv.slice(2).map(Number);
const started = performance.now();
const losses = await killOutbox({ kills, messages, speed: 20, lifeMs: 150, seed: 1 });
const seconds = Math.round((performance.now() - started) / 1000);
console.log(JSON.stringify({ ...losses, messages, seconds }));
process.exit(losses.lost === 0 && losses.resent === 0 ? 0 : 1);
