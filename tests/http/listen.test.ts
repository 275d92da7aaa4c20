import { expect, test } from "bun:test";
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { listen, listenOnSocket } from "../../src/http/listen.ts";
import type { AppError } from "../../src/kit/app-error.ts";
import { systemClock } from "../../src/kit/clock.ts";
import { FakeClock, settle } from "../support/fake-clock.ts";
import { openSocket } from "../support/raw-http.ts";
import { recordingLogger, sampleService, serveSample } from "./sample-service.ts";

const settings = { clock: systemClock };

function tempFolder() {
  const path = mkdtempSync(join(tmpdir(), "argosy-listen-"));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true }) };
}

function refusal(act: () => unknown): AppError {
  try {
    act();
  } catch (thrown) {
    return thrown as AppError;
  }
  throw new Error("nothing was thrown");
}

test("a taken port is refused by name, never shared", async () => {
  await using first = serveSample();
  const { app } = sampleService();
  const error = refusal(() => listen(app, { host: "127.0.0.1", port: first.port }, settings));
  expect(error).toMatchObject({ kind: "conflict", code: "port_taken" });
  expect(error.message).toContain(`port ${first.port} on 127.0.0.1`);
  expect(error.details.hint).toContain(`:${first.port}`);
});

test("an address that isn't this machine's is refused", () => {
  const { app } = sampleService();
  const error = refusal(() => listen(app, { host: "192.0.2.1", port: 0 }, settings));
  expect(error).toMatchObject({ kind: "invalid", code: "address_refused" });
});

test("an IPv6 address is in brackets in the URL", async () => {
  const { app } = sampleService();
  const listener = listen(app, { host: "::1", port: 0 }, settings);
  expect(listener.url).toBe(`http://[::1]:${listener.port}`);
  expect((await fetch(`${listener.url}/healthz`)).status).toBe(200);
  await listener.stop(0);
});

test("stopping lets a request under way end, and takes nothing new", async () => {
  const gate = Promise.withResolvers<void>();
  const sample = serveSample({
    produce: async function* () {
      yield { content: "one" };
      await gate.promise;
      yield { content: "two" };
    },
  });
  const response = await fetch(`${sample.url}/v1/stream`, { method: "POST" });
  const stopped = sample.stop(60_000);
  await expect(openSocket(sample.port)).rejects.toThrow();
  gate.resolve();
  expect(await response.text()).toContain("two");
  await stopped;
});

test("what is still under way at the deadline is cut off and aborted", async () => {
  const clock = new FakeClock();
  const { app, seen } = sampleService({
    produce: async function* (signal) {
      yield { content: "one" };
      await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
    },
  });
  const listener = listen(app, { host: "127.0.0.1", port: 0 }, { clock });
  const response = await fetch(`${listener.url}/v1/stream`, { method: "POST" });
  const stopped = listener.stop(10_000);
  await clock.advance(9_999);
  expect(seen.cancelled).toBe(0);
  await clock.advance(1);
  await stopped;
  await expect(response.text()).rejects.toThrow();
  while (seen.cancelled === 0) await settle();
});

test("the control socket is this user's alone, and trusts who gets through", async () => {
  using folder = tempFolder();
  const path = join(folder.path, "control.sock");
  // The file that a killed process leaves behind.
  writeFileSync(path, "");
  const { app } = sampleService({ access: { exposed: true, apiToken: "t".repeat(32) } });
  const listener = listenOnSocket(app, path, settings);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  const response = await fetch("http://localhost/v1/things/a", { unix: path });
  expect(await response.json()).toMatchObject({ name: "a", peer: "control" });
  await listener.stop(0);
  expect(existsSync(path)).toBe(false);
});

test.skipIf(Bun.which("openssl") === null)("with a certificate the service speaks HTTPS", async () => {
  using folder = tempFolder();
  const [key, cert] = [join(folder.path, "key.pem"), join(folder.path, "cert.pem")];
  const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"];
  const made = Bun.spawnSync([
    "openssl",
    "req",
    "-x509",
    "-newkey",
    "ec",
    "-pkeyopt",
    "ec_paramgen_curve:P-256",
    "-nodes",
    "-keyout",
    key,
    "-out",
    cert,
    ...subject,
  ]);
  expect(made.exitCode).toBe(0);
  const tls = { key: await Bun.file(key).text(), cert: await Bun.file(cert).text() };
  const { app } = sampleService({ more: { secure: true } });
  const listener = listen(app, { host: "127.0.0.1", port: 0, tls }, settings);
  expect(listener.url).toBe(`https://127.0.0.1:${listener.port}`);
  const response = await fetch(`${listener.url}/v1/things/a`, { tls: { ca: tls.cert } });
  expect(await response.json()).toMatchObject({ name: "a" });
  await listener.stop(0);
});

test("a failure outside of any route is 500 in the service's form, and logged", async () => {
  const { log, lines } = recordingLogger();
  const response = sampleService({ log }).app.fail(new Error("secret"));
  expect(response.status).toBe(500);
  expect(response.headers.get("x-request-id")).toBeString();
  expect(await response.json()).toEqual({ error: "internal", message: "Something went wrong on our side." });
  expect(lines).toMatchObject([{ event: "request.failed" }]);
});
