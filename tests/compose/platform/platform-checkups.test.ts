import { expect, test } from "bun:test";
import { builtParts } from "../../../src/command/parts.ts";
import { loadConfig } from "../../../src/compose/load-config.ts";
import { platformCheckups } from "../../../src/compose/platform/platform-checkups.ts";
import type { Config } from "../../../src/compose/settings/config.ts";
import { startArgosy } from "../../../src/compose/start.ts";
import { AppError } from "../../../src/kit/app-error.ts";
import { silentLogger } from "../../../src/kit/log.ts";
import { examine } from "../../../src/services/daemon/system/doctor.ts";
import { grantOperator } from "../../../src/services/platform/auth/operators.ts";
import { say } from "../../cli/recording-shell.ts";
import { startPlatform, type TestPlatform } from "../../support/platform.ts";
import { addAgent, addInvocation } from "../../support/platform-history.ts";
import { onEachEngine } from "../../support/storage-engines.ts";
import { temporaryFolder } from "../../support/temp-folder.ts";

interface Given {
  /** True if bound to a non-loopback address. */
  exposed?: boolean;
  config?: Partial<Config["platform"]>;
  change?: Partial<TestPlatform["deps"]>;
  signingKey?: string;
}

/** Returns the doctor's findings by the name of the check, without `platform`. */
async function findings(platform: TestPlatform, { exposed, config, change, signingKey }: Given = {}) {
  const settings = {
    dataFolder: "/data",
    access: { allowedHosts: [], insecureOpen: false },
    services: { platform: { host: exposed ? "0.0.0.0" : "127.0.0.1" } },
    platform: { runTimeoutSeconds: 120, ...config },
  } as unknown as Config;
  const deps = { ...platform.deps, ...change };
  const checkups = platformCheckups({ config: settings, deps, signingKey });
  const { checks } = await examine(checkups, new AbortController().signal);
  return Object.fromEntries(checks.map(({ name, ...found }) => [name.replace("platform ", ""), found]));
}

onEachEngine("the doctor", (engine) => {
  test("finds a new platform well", async () => {
    await using platform = await startPlatform(engine, (deps) => ({ ...deps, operatorToken: undefined }));
    const place = engine.dialect === "postgres" ? "PostgreSQL" : "/data";
    expect(await findings(platform, { signingKey: "k1" })).toEqual({
      storage: { status: "healthy", message: `Storage at ${place} is writable.` },
      "sign-in": { status: "healthy", message: "Access tokens are signed with the key k1." },
      operators: {
        status: "healthy",
        message: "There are no operators. Only the command line of this machine has operator rights.",
      },
      runtime: {
        status: "healthy",
        message: "Agents run on the daemon in this process, which responds.",
      },
      tariffs: { status: "healthy", message: "Recent runs used only models with a tariff." },
      messages: {
        status: "healthy",
        message: "No gateway is configured, so message routes are off.",
      },
      access: {
        status: "healthy",
        message: "The platform is reachable from this machine only; anyone may register.",
      },
    });
  });

  test("names stored connections that tools refuse, because they have no base URL", async () => {
    await using platform = await startPlatform(engine);
    const owner = await platform.tenant();
    await platform.call("PUT", "/api/v1/connections/erp", {
      headers: owner.asProgram,
      body: { base_url: "https://erp.example", material: { token: "t" } },
    });
    expect((await findings(platform)).storage?.status).toBe("healthy");
    const { transact, tables } = platform.deps.storage;
    await transact((tx) => tx.update(tables.connections).set({ baseUrl: null }));
    expect((await findings(platform)).storage).toMatchObject({
      status: "degraded",
      message: expect.stringContaining("/erp."),
      mend: expect.stringContaining("--base-url"),
    });
  });

  test("names what is missing, and what mends it", async () => {
    await using platform = await startPlatform(engine, (deps) => ({
      ...deps,
      operatorToken: undefined,
      settings: { ...deps.settings, registration: { here: "invite", beyond: "invite" } },
    }));
    expect(await findings(platform, { exposed: true })).toMatchObject({
      "sign-in": { status: "degraded", mend: "argosy secrets init, or set ARGOSY_JWT_KEYS" },
      operators: { status: "degraded", mend: expect.stringContaining("argosy platform operator grant") },
      access: {
        message: "The platform is reachable from other machines; only invited people may register.",
      },
    });
    const { userId } = await platform.tenant();
    await grantOperator(platform.deps, `${userId}@example.com`);
    expect((await findings(platform, { exposed: true })).operators).toEqual({
      status: "healthy",
      message: "Operators: one person.",
    });
    const both = await findings(platform, { exposed: true, change: { operatorToken: "o".repeat(32) } });
    expect(both.operators?.message).toBe("Operators: holders of PLATFORM_OPERATOR_TOKEN and one person.");
  });

  test("names the models of late runs that no tariff prices now", async () => {
    await using platform = await startPlatform(engine);
    const tenant = await platform.tenant();
    const agentId = await addAgent(platform, tenant, "support");
    await addInvocation(platform, { tenantId: tenant.id, agentId, pricingStatus: "unpriced" });
    expect((await findings(platform)).tariffs).toEqual({
      status: "degraded",
      message: "Runs on models without a tariff are not charged: lab/test-model.",
      mend: "create a tariff for each: argosy platform tariffs create",
    });
    await platform.call("POST", "/api/v1/admin/tariffs", {
      headers: { "x-operator-token": platform.deps.operatorToken ?? "" },
      body: {
        provider: "lab",
        model: "test-model",
        credits_per_1k_in_micros: 1,
        credits_per_1k_out_micros: 1,
      },
    });
    expect((await findings(platform)).tariffs?.status).toBe("healthy");
  });
});

onEachEngine("a runtime elsewhere", (engine) => {
  const config = { runtimeUrl: "http://ada:secret@far:8000/base" };

  test("that can't be reached is failing", async () => {
    await using platform = await startPlatform(engine);
    const catalog = () =>
      Promise.reject(
        new AppError("upstream_failed", "runtime_unreachable", "The runtime could not be reached."),
      );
    const { runtime } = await findings(platform, {
      config,
      change: { runtime: { ...platform.deps.runtime, catalog } },
    });
    expect(runtime).toMatchObject({
      status: "failing",
      message: "Agents run on http://far:8000. The runtime could not be reached.",
    });
  });

  test("that says nothing is failing after three seconds", async () => {
    await using platform = await startPlatform(engine);
    const asked = Promise.withResolvers<void>();
    const catalog = () => {
      asked.resolve();
      return new Promise<never>(() => undefined);
    };
    const found = findings(platform, {
      config,
      change: { runtime: { ...platform.deps.runtime, catalog } },
    });
    await asked.promise;
    await platform.clock.advance(3000);
    expect((await found).runtime).toMatchObject({
      status: "failing",
      message: "Agents run on http://far:8000. It did not respond within 3 seconds.",
    });
  });
});

test("the doctor of a server without the daemon is asked through the platform's control socket", async () => {
  using folder = temporaryFolder();
  const config = {
    ...loadConfig({ workspace: folder.path, port: "0", services: "platform" }),
    access: { allowedHosts: [], insecureOpen: false },
    models: { autoConfigure: false, rehearse: false },
    runtimeToken: "r".repeat(32),
    variable: () => undefined,
  };
  config.platform = { ...config.platform, runtimeUrl: "http://127.0.0.1:9" };
  const parts = { ...builtParts, loadConfig: async () => config };
  const running = await startArgosy(config, { log: silentLogger });
  const served = await say(["doctor"], { parts, folder: folder.path });
  await running.stop();
  expect(served).toMatchObject({ code: 1, stderr: "10 healthy, 0 degraded, 1 failing\n" });
  expect(served.stdout).toContain("✗ platform runtime Agents run on http://127.0.0.1:9.");
});

test("the daemon's doctor looks at the platform beside it, and only there", async () => {
  const checked = async (services: string) => {
    using folder = temporaryFolder();
    const running = await startArgosy(
      {
        ...loadConfig({ workspace: folder.path, port: "0", services }),
        access: { allowedHosts: [], insecureOpen: false },
        models: { autoConfigure: false, rehearse: false },
        variable: () => undefined,
      },
      { log: silentLogger },
    );
    const url = running.services.find(({ name }) => name === "daemon")?.url;
    const { checks } = await (await fetch(`${url}/v1/system/doctor`)).json();
    await running.stop();
    return checks.filter(({ name }: { name: string }) => name.startsWith("platform "));
  };
  expect(await checked("daemon,platform")).toHaveLength(7);
  expect(await checked("daemon")).toEqual([]);
});
