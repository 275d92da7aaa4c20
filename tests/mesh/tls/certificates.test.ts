import { expect, test } from "bun:test";
import { X509Certificate } from "node:crypto";
import { join } from "node:path";
import { certificateDays, meshAuthority, meshHost } from "../../../src/mesh/tls/certificates.ts";
import { time } from "../../../src/mesh/tls/der.ts";
import { NodeTls } from "../../../src/mesh/tls/node-tls.ts";
import { opensslMissing } from "../../support/certificate.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import { temporaryFolder } from "../../support/temp-folder.ts";

const secret = "mesh-secret-of-at-least-32-bytes-!";
const now = new Date("2026-03-01T12:00:00.000Z");
const dayMs = 86_400_000;

test("nodes with one secret have one authority, and know each other's certificates", () => {
  const [one, two] = [
    meshAuthority(secret, now),
    meshAuthority(secret, new Date(now.getTime() + 400 * dayMs)),
  ];
  expect(two.fingerprint).toBe(one.fingerprint);
  const issued = new X509Certificate(one.issue("node-1", now).cert);
  expect(issued.verify(new X509Certificate(two.certificate).publicKey)).toBe(true);
  expect([issued.subject, issued.subjectAltName, issued.ca]).toEqual(["CN=node-1", `DNS:${meshHost}`, false]);
  expect(new Date(issued.validTo).getTime() - now.getTime()).toBe(certificateDays * dayMs);
  // The clocks of machines differ.
  expect(new Date(issued.validFrom).getTime()).toBeLessThan(now.getTime());
});

test("a node with another secret has another authority, whose certificates don't fit", () => {
  const [one, other] = [meshAuthority(secret, now), meshAuthority(`${secret}!`, now)];
  expect(other.fingerprint).not.toBe(one.fingerprint);
  const foreign = new X509Certificate(other.issue("node-1", now).cert);
  expect(foreign.verify(new X509Certificate(one.certificate).publicKey)).toBe(false);
});

test("authorities of 200 secrets, and names of every length, make certificates that can be read", () => {
  for (let number = 0; number < 200; number++) {
    const authority = meshAuthority(`${secret} ${number}`, now);
    const name = "n".repeat(1 + (number % 64));
    const issued = new X509Certificate(authority.issue(name, now).cert);
    expect(issued.subject).toBe(`CN=${name}`);
    expect(issued.verify(new X509Certificate(authority.certificate).publicKey)).toBe(true);
  }
});

test.skipIf(opensslMissing !== undefined)(
  "openssl verifies a certificate for the mesh's name and purposes",
  async () => {
    using folder = temporaryFolder();
    const authority = meshAuthority(secret, new Date());
    const [ca, cert] = [join(folder.path, "ca.pem"), join(folder.path, "cert.pem")];
    await Bun.write(ca, authority.certificate);
    await Bun.write(cert, authority.issue("node-1", new Date()).cert);
    for (const purpose of ["sslserver", "sslclient"]) {
      const args = [
        "verify",
        "-x509_strict",
        "-purpose",
        purpose,
        "-verify_hostname",
        meshHost,
        "-CAfile",
        ca,
        cert,
      ];
      const { stdout, stderr } = Bun.spawnSync(["openssl", ...args]);
      expect(`${stdout}${stderr}`).toBe(`${cert}: OK\n`);
    }
  },
);

test("a node's certificate is renewed at half of its time", async () => {
  const clock = new FakeClock(now.toISOString());
  const tls = new NodeTls(secret, "node-1", clock);
  const first = tls.current();
  expect(tls.current()).toEqual(first);
  await clock.advance(first.renewAt.getTime() - now.getTime() - 1);
  expect(tls.current().cert).toBe(first.cert);
  await clock.advance(1);
  expect(tls.current().cert).not.toBe(first.cert);
  expect(tls.current().ca).toBe(first.ca);
});

test("a time has two digits of the year up to 2049, and four from 2050 on", () => {
  expect(time(new Date("2049-12-31T23:59:59.000Z")).toString("latin1")).toBe("\x17\r491231235959Z");
  expect(time(new Date("2050-01-01T00:00:00.000Z")).toString("latin1")).toBe("\x18\x0f20500101000000Z");
});

test("calls to nodes check certificates whatever the process's environment says", () => {
  expect(new NodeTls(secret, "node-1", new FakeClock()).callOptions.rejectUnauthorized).toBe(true);
});
