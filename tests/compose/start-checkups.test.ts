import { beforeAll, describe, expect, test } from "bun:test";
import { X509Certificate } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { loadConfig } from "../../src/compose/load-config.ts";
import { services } from "../../src/compose/services.ts";
import type { Config } from "../../src/compose/settings/config.ts";
import type { TlsFiles } from "../../src/compose/settings/tls.ts";
import { startCheckups } from "../../src/compose/start-checkups.ts";
import { UntrustedProxies } from "../../src/http/front-door/untrusted-proxies.ts";
import { silentLogger } from "../../src/kit/log.ts";
import { examine } from "../../src/services/daemon/system/doctor.ts";
import { makeCertificate, opensslMissing } from "../support/certificate.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { temporaryFolder } from "../support/temp-folder.ts";

interface Given {
  /** Changes the configuration of an empty workspace. */
  change?: (config: Config) => Config;
  inUse?: TlsFiles;
  clock?: FakeClock;
  untrustedProxies?: UntrustedProxies;
}

async function check(
  name: string,
  {
    change = (config) => config,
    inUse,
    clock = new FakeClock(),
    untrustedProxies = new UntrustedProxies(silentLogger, clock),
  }: Given = {},
) {
  using folder = temporaryFolder();
  const loaded = loadConfig({ workspace: folder.path });
  const config = change({ ...loaded, access: { allowedHosts: [], insecureOpen: false } });
  const checkups = startCheckups({ config, clock, tls: inUse, untrustedProxies }, services);
  const { checks } = await examine(checkups, new AbortController().signal);
  return checks.find((found) => found.name === name);
}

const onEveryAddress = (config: Config): Config => ({
  ...config,
  services: { ...config.services, daemon: { enabled: true, host: "0.0.0.0", port: 8000 } },
});

describe("the proxies", () => {
  test("are degraded while one that isn't trusted forwards requests", async () => {
    expect(await check("proxies")).toMatchObject({ status: "healthy" });
    const clock = new FakeClock();
    const untrustedProxies = new UntrustedProxies(silentLogger, clock);
    untrustedProxies.note(new Headers({ "x-forwarded-for": "203.0.113.7" }), () => "10.0.0.9");
    expect(await check("proxies", { clock, untrustedProxies })).toMatchObject({
      status: "degraded",
      message: expect.stringContaining("10.0.0.9 forwards requests but is not a trusted proxy"),
      mend: expect.stringContaining("ARGOSY_TRUSTED_PROXIES"),
    });
  });
});

describe("the addresses", () => {
  test("are healthy on loopback", async () => {
    expect(await check("addresses")).toMatchObject({ status: "healthy" });
  });

  test("fail where the start would be refused", async () => {
    expect(await check("addresses", { change: onEveryAddress })).toMatchObject({
      status: "failing",
      message: "The daemon may not listen on 0.0.0.0 without PLATFORM_API_TOKEN.",
      mend: expect.stringContaining("openssl rand"),
    });
  });

  test("are a risk where the start warns", async () => {
    const change = (config: Config) => {
      const access = { allowedHosts: ["argosy.example"], insecureOpen: true };
      return { ...onEveryAddress(config), access };
    };
    expect(await check("addresses", { change })).toMatchObject({
      status: "degraded",
      message: "The daemon listens on 0.0.0.0: Anyone who reaches this address may use it.",
    });
  });

  test("fail where a service refuses its settings", async () => {
    const change = (config: Config): Config => ({
      ...config,
      access: { allowedHosts: ["argosy.example"], insecureOpen: false },
      channels: {
        phoneMessenger: { allowsUnsigned: false, apiBaseUrl: "https://graph.example" } as NonNullable<
          Config["channels"]["phoneMessenger"]
        >,
      },
    });
    expect(await check("addresses", { change })).toMatchObject({
      status: "failing",
      message: expect.stringContaining("unsigned deliveries"),
    });
  });
});

test("a certificate is not checked where there is none", async () => {
  expect(await check("tls")).toBeUndefined();
});

test("a certificate that can't be read fails", async () => {
  const change = (config: Config) => ({
    ...config,
    tls: { certFile: "/nowhere.pem", keyFile: "/nowhere.pem" },
  });
  expect(await check("tls", { change })).toMatchObject({
    status: "failing",
    message: expect.stringContaining("ARGOSY_TLS_CERT names /nowhere.pem, which can't be read (ENOENT)"),
  });
});

describe.skipIf(opensslMissing !== undefined)("a certificate", () => {
  const dayMs = 24 * 60 * 60_000;
  let pair: TlsFiles;
  let endMs: number;
  beforeAll(() => {
    pair = makeCertificate();
    endMs = Date.parse(new X509Certificate(pair.cert).validTo);
  });

  /** Checks certificate files, `before` ms before the end of the first certificate. */
  async function checkFiles(before: number, { files = pair, inUse }: { files?: TlsFiles; inUse?: TlsFiles }) {
    using folder = temporaryFolder();
    const tls = { certFile: join(folder.path, "cert.pem"), keyFile: join(folder.path, "key.pem") };
    writeFileSync(tls.certFile, files.cert);
    writeFileSync(tls.keyFile, files.key);
    const clock = new FakeClock(new Date(endMs - before).toISOString());
    return check("tls", { change: (config) => ({ ...config, tls }), clock, ...(inUse && { inUse }) });
  }

  const table: [name: string, before: number, status: string, says: string][] = [
    ["is healthy two weeks and a second before its end", 14 * dayMs + 1000, "healthy", "is valid until"],
    ["is degraded within two weeks of it", 14 * dayMs, "degraded", "is valid until"],
    ["fails at its end", 0, "failing", "expired at"],
    ["fails before its beginning", 10_000 * dayMs, "failing", "is valid only from"],
  ];
  test.each(table)("%s", async (_, before, status, says) => {
    for (const inUse of [undefined, pair]) {
      const found = await checkFiles(before, inUse === undefined ? {} : { inUse });
      expect(found?.status).toBe(status as never);
      expect(found?.message).toContain(says);
      if (says !== "is valid only from") expect(found?.message).toContain(new Date(endMs).toISOString());
      expect(found?.mend).toBe(
        status === "healthy" ? undefined : "renew the certificate, then restart Argosy",
      );
    }
  });

  test("that was renewed needs a restart", async () => {
    const inUse = makeCertificate();
    expect(await checkFiles(20 * dayMs, { inUse })).toMatchObject({
      status: "degraded",
      message: expect.stringContaining("have changed since the start"),
      mend: "restart Argosy",
    });
  });
});
