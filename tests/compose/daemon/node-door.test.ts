import { expect, test } from "bun:test";
import { X509Certificate } from "node:crypto";
import { connect } from "node:tls";
import { listenForNodes } from "../../../src/compose/daemon/node-door.ts";
import type { ServiceApp } from "../../../src/http/service-app.ts";
import { silentLogger } from "../../../src/kit/log.ts";
import { NodeTls } from "../../../src/mesh/tls/node-tls.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import { freePort } from "../../support/free-port.ts";
import { meshSecret } from "../../support/mesh-secret.ts";

const hourMs = 3_600_000;
const renewedAfterMs = 15 * 24 * hourMs;

const app: ServiceApp = {
  name: "daemon",
  routes: () => [],
  prepare() {},
  handle: () => new Response("ok"),
  fail: () => new Response("refused", { status: 404 }),
};

/** The number of the certificate that the port shows. */
function shownAt(port: number, tls: NodeTls): Promise<string> {
  const { ca, cert, key, serverName: servername } = tls.callOptions;
  return new Promise((resolve, reject) => {
    const socket = connect({ host: "127.0.0.1", port, ca, cert, key, servername }, () => {
      resolve(new X509Certificate(socket.getPeerCertificate().raw).serialNumber);
      socket.destroy();
    });
    socket.on("error", reject);
  });
}

test("the nodes' port shows the new certificate within an hour of its renewal", async () => {
  // TLS compares certificates with the machine's clock, at which the second one is valid too.
  const clock = new FakeClock(new Date(Date.now() - renewedAfterMs - hourMs).toISOString());
  const tls = new NodeTls(meshSecret, "n1", clock);
  const port = await freePort();
  const listener = listenForNodes({ app, port, tls }, "127.0.0.1", { clock }, silentLogger);
  try {
    const first = await shownAt(port, tls);
    await clock.advance(renewedAfterMs - hourMs);
    expect(await shownAt(port, tls)).toBe(first);
    await clock.advance(hourMs);
    const second = await shownAt(port, tls);
    expect(second).toBe(new X509Certificate(tls.current().cert).serialNumber);
    expect(second).not.toBe(first);
  } finally {
    const stopped = listener.stop(0);
    await clock.advance(5_000);
    await stopped;
  }
});
