/** Calls every URL of the corpus with every tool, with a canary at each address, and writes which ones were reached. */
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { connect, createServer as createTcpServer } from "node:net";
import { nothingOpened } from "../../../../src/engine/tools/network/address/opened-networks.ts";
import { createGuardedNetwork } from "../../../../src/engine/tools/network/create-guarded-network.ts";
import { createDirectConnections } from "../../../../src/engine/tools/network/direct-connection.ts";
import { systemClock } from "../../../../src/kit/clock.ts";
import { FakeClock } from "../../../support/fake-clock.ts";
import {
  type CorpusEntry,
  callBy,
  entries,
  publicAddress,
  requestOf,
  resolverOf,
  ways,
  worldAnswer,
} from "../../../support/ssrf-corpus.ts";

const [keyFile = "", certFile = ""] = process.argv.slice(2);
let playing: CorpusEntry | undefined;
let reached: string[] = [];
let heard: string[] = [];
let requests = 0;

function answer(scheme: string, request: IncomingMessage, response: ServerResponse): void {
  requests++;
  heard.push(...request.rawHeaders.filter((_, at) => at % 2 === 0).map((name) => name.toLowerCase()));
  const url = `${scheme}://${request.headers.host}${request.url}`;
  const said = playing === undefined ? { status: 200, headers: {}, body: "" } : worldAnswer(playing, url);
  if (said.body === "drip") {
    response.writeHead(said.status, said.headers);
    const timer = setInterval(() => response.write("a"), 1000);
    request.socket.on("close", () => clearInterval(timer));
  } else if (said.body === "flood") {
    const lines = Array.from({ length: 10_000 }, (_, index) => `x-${index}: a\r\n`).join("");
    request.socket.end(`HTTP/1.1 200 OK\r\n${lines}content-length: 0\r\n\r\n`);
  } else {
    response.writeHead(said.status, { ...said.headers, "content-length": Buffer.byteLength(said.body) });
    response.end(said.body);
  }
}

const addressOf = (text = "") => text.replace(/^::ffff:(?=\d+\.)/, "");
const listening: Promise<void>[] = [];
const listen = (
  server: { listen(port: number, host: string, ready: () => void): unknown },
  port: number,
  host: string,
) => listening.push(new Promise((ready) => server.listen(port, host, ready)));

const tls = { key: readFileSync(keyFile), cert: readFileSync(certFile) };
// Includes IPv4.
const host = "::";

/** Accepts connections to a port of any address, records their addresses, and passes them on. */
function canary(
  port: number,
  inner?: { listen(port: number, host: string, ready: () => void): unknown },
): void {
  const innerPort = 20_000 + port;
  if (inner !== undefined) listen(inner, innerPort, host);
  const outer = createTcpServer((socket) => {
    reached.push(`${addressOf(socket.localAddress)}${inner === undefined ? ` port ${port}` : ""}`);
    if (inner === undefined) {
      socket.destroy();
      return;
    }
    const behind = connect(innerPort, "127.0.0.1");
    for (const end of [socket, behind]) end.on("error", () => [socket, behind].map((each) => each.destroy()));
    socket.pipe(behind).pipe(socket);
  });
  listen(outer, port, host);
}

canary(
  80,
  createServer((request, response) => answer("http", request, response)),
);
canary(
  443,
  createTlsServer(tls, (request, response) => answer("https", request, response)),
);
// Ports in URLs of the corpus, and that of the proxy in the environment.
for (const port of [22, 6379, 11_211, 11_434, 3128]) canary(port);
await Promise.all(listening);

const calls: unknown[] = [];
for (const entry of entries) {
  for (const [way, make] of Object.entries(ways)) {
    [playing, reached, heard] = [entry, [], []];
    const network = createGuardedNetwork({
      connect: createDirectConnections(systemClock),
      resolve: resolverOf(entry),
      clock: systemClock,
      opened: nothingOpened,
    });
    const { url, headers } = requestOf(entry);
    const startedMs = systemClock.monotonicMs();
    const result = await callBy(make(url, headers), network);
    const tookMs = systemClock.monotonicMs() - startedMs;
    calls.push({ id: entry.id, way, result, reached, heard, tookMs });
  }
}

/** A name that is public at one lookup and private at the next. */
const privates = ["169.254.169.254", "127.0.0.1", "10.0.0.5", "::1", "fd00:ec2::254", "::ffff:127.0.0.1"];
playing = undefined;
reached = [];
requests = 0;
const clock = new FakeClock();
let lookups = 0;
const flipping = createGuardedNetwork({
  connect: createDirectConnections(systemClock),
  resolve: async () => [lookups++ % 2 === 0 ? publicAddress : (privates[lookups % privates.length] ?? "")],
  clock,
  opened: nothingOpened,
});
let succeeded = 0;
for (let flip = 0; flip < 10_000; flip++) {
  const { success } = await callBy(
    { name: "send_webhook", input: { url: "http://flip.test/", payload: 1 } },
    flipping,
  );
  if (success) succeeded++;
  await clock.advance(30_001);
}
const flips = { succeeded, lookups, requests, places: [...new Set(reached)] };

/** Names of one address: the certificate is valid only for the first. */
const named: string[] = [];
const byName = createGuardedNetwork({
  connect: createDirectConnections(systemClock),
  resolve: async () => [publicAddress],
  clock: systemClock,
  opened: nothingOpened,
});
for (const host of ["public.test", "other.test", "public.test", publicAddress]) {
  const way = { name: "send_webhook", input: { url: `https://${host}/`, payload: 1 } };
  const result = await callBy(way, byName);
  named.push(result.success ? "reached" : result.error);
}

/** The connections of a client without the guard, to prove that the canaries work. */
reached = [];
for (const place of ["169.254.169.254", "10.0.0.5", "127.0.0.1", "[fd00:ec2::254]"]) {
  await fetch(`http://${place}/`, { proxy: false });
}
const unguarded = reached;
process.stdout.write(JSON.stringify({ calls, flips, named, unguarded }), () => process.exit(0));
