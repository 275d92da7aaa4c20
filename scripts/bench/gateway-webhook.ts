/**
 * Measures how fast the gateway answers deliveries on SQLite while an agent answers each message, with the daemon and the platform in the
 * same process, and the processor's time of the process for each message. The first seconds warm the process up and aren't counted. The goal
 * is 10 ms at the 99th percentile. An account sends at most 80 messages a second, the provider's rate, so there are several. With `--alone`,
 * the gateway has its process for itself, and this one answers its runs at once, like a platform on another machine. With `--bare`, the
 * least that any gateway does, written by hand, takes its place: what is measured then is the machine and this process, which also plays the
 * customers and the provider.
 *
 *   bun scripts/bench/gateway-webhook.ts [--rate 200] [--seconds 10] [--warm 10] [--accounts 8] [--alone | --bare]
 */
import { newId } from "../../src/kit/id.ts";
import { appSecret, postDelivery, startGatewayProgram } from "../../tests/support/gateway-program.ts";
import { type MessageProvider, startMessageProvider } from "../../tests/support/message-provider.ts";
import { temporaryFolder } from "../../tests/support/temp-folder.ts";
import { quantiles } from "./figures.ts";
import { readOptions } from "./options.ts";
import { treeCpuMs } from "./process-stats.ts";
import { startBeside } from "./servers.ts";

const { rate, seconds, warm, accounts, alone, bare } = readOptions({
  rate: 200,
  seconds: 10,
  warm: 10,
  accounts: 8,
  alone: false,
  bare: false,
});

/** What a platform answers to a run. */
const answerOfRun = () => ({
  invocation_id: newId(),
  status: "ok",
  session_id: "s",
  answer: "Hello.",
  usage: { tokens_in: 10, tokens_out: 5, by_model: [] },
  credits_charged_micros: 0,
  pricing_status: "unpriced",
});

/** The gateway that is measured, and the provider that it sends to. */
interface Measured extends AsyncDisposable {
  readonly pid: number;
  provider: MessageProvider;
  /** Posts a text message of a customer to an account; the answer's status. */
  deliver(id: string, from: string, text: string, account: string): Promise<number | undefined>;
}

async function startArgosy(): Promise<Measured> {
  const options = alone ? { processes: 2 as const, runs: answerOfRun } : {};
  const gateway = await startGatewayProgram(() => ({ text: "Hello." }), options);
  await gateway.setUp({}, { unlimited: true, accounts });
  return gateway;
}

async function startBare(): Promise<Measured> {
  await using held = new AsyncDisposableStack();
  const folder = held.use(temporaryFolder());
  const provider = held.use(await startMessageProvider());
  const platform = held.adopt(
    Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      async fetch(request) {
        await request.bytes();
        return Response.json(answerOfRun());
      },
    }),
    (server) => server.stop(true),
  );
  const child = held.use(
    await startBeside("bare-webhook.ts", [folder.path, appSecret, platform.url.origin, provider.url]),
  );
  const url = `http://127.0.0.1:${child.line}`;
  const ending = held.move();
  return {
    pid: child.pid,
    provider,
    deliver: (id, from, text, account) =>
      postDelivery(url, { from, id, type: "text", text: { body: text } }, account),
    [Symbol.asyncDispose]: () => ending.disposeAsync(),
  };
}

await using gateway = await (bare ? startBare() : startArgosy());
const times: number[] = [];
let refused = 0;
async function deliver(number: number, counted: boolean): Promise<void> {
  const startedMs = performance.now();
  const from = `52155${10_000 + (number % 5_000)}`;
  const status = await gateway.deliver(`wamid.${number}`, from, "hi", `PNID${1 + (number % accounts)}`);
  if (counted) times.push(performance.now() - startedMs);
  if (status !== 200) refused++;
}

const sent = rate * (warm + seconds);
const answers = () => gateway.provider.sent.filter(({ text }) => text !== undefined).length;
const spent = () => ({ answers: answers(), cpuMs: treeCpuMs(gateway.pid) });
let warmed = spent();
const delivered: Promise<void>[] = [];
const beganMs = performance.now();
for (let number = 0; number < sent; number++) {
  const waitMs = beganMs + (number * 1000) / rate - performance.now();
  if (waitMs > 0) await Bun.sleep(waitMs);
  if (number === rate * warm) warmed = spent();
  delivered.push(deliver(number, number >= rate * warm));
}
await Promise.all(delivered);
const answeredAtOnce = answers();
while (answers() < sent) await Bun.sleep(50);
const lateMs = performance.now() - beganMs - (sent * 1000) / rate;
const end = spent();

const [p50, p90, p99] = quantiles(times, [0.5, 0.9, 0.99]);
console.log(
  `${times.length} deliveries at ${rate}/s: p50 ${p50} ms, p90 ${p90} ms, p99 ${p99} ms, refused ${refused}; ` +
    `${sent - answeredAtOnce} of ${sent} messages were unanswered after the last delivery, the last for ${Math.round(lateMs)} ms; ` +
    `${((end.cpuMs - warmed.cpuMs) / (end.answers - warmed.answers)).toFixed(2)} ms of processor time a message`,
);
