import { expect, test } from "bun:test";
import { takenPorts, withFreePorts } from "../../../src/command/free-ports.ts";
import { builtParts } from "../../../src/command/parts.ts";
import { loadConfig } from "../../../src/compose/load-config.ts";
import type { Config } from "../../../src/compose/settings/config.ts";
import { AppError } from "../../../src/kit/app-error.ts";
import { silentLogger } from "../../../src/kit/log.ts";
import { LogRing } from "../../../src/kit/log-ring.ts";
import { temporaryFolder } from "../../support/temp-folder.ts";
import { say } from "../recording-shell.ts";

/** A configuration of two services, the first of which has a port that another program has. */
async function withTakenPort(body: (config: Config, port: number) => Promise<void>): Promise<void> {
  using folder = temporaryFolder();
  const other = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response("other") });
  const port = other.port ?? 0;
  try {
    const loaded = loadConfig({ workspace: folder.path, services: "daemon,platform", port: String(port) });
    const { platform } = loaded.services;
    if (platform === undefined) throw new Error("no platform");
    await body({ ...loaded, services: { ...loaded.services, platform: { ...platform, port: 0 } } }, port);
  } finally {
    await other.stop(true);
  }
}

test("a taken port has a free one after it, which the configuration can take", () =>
  withTakenPort(async (config, port) => {
    const taken = takenPorts(config);
    expect(taken).toMatchObject([{ service: "daemon", port }]);
    expect(taken[0]?.free).toBeGreaterThan(port);
    expect(takenPorts(withFreePorts(config, taken))).toEqual([]);
  }));

test("nodes of a mesh are offered no other port", () =>
  withTakenPort(async (config) => {
    expect(takenPorts({ ...config, mesh: {} as NonNullable<Config["mesh"]> })).toEqual([]);
  }));

/** Serves over a start that only records its configuration. */
async function serve(config: Config, setting: { terminal: boolean; answer?: string }) {
  const started: Config[] = [];
  const { PassThrough } = await import("node:stream");
  const stdin = new PassThrough();
  const said = await say(["serve"], {
    terminal: setting.terminal,
    stdin,
    shown: (text) => {
      if (text.includes("[y/N]")) stdin.write(`${setting.answer}\n`);
    },
    parts: {
      loadConfig: async () => config,
      takenPorts: builtParts.takenPorts,
      withFreePorts: builtParts.withFreePorts,
      createLogger: async () => ({ ...silentLogger, ring: new LogRing(), flush: () => {} }),
      start: async (given) => {
        started.push(given);
        throw new AppError("conflict", "port_taken", "Stops here.");
      },
    },
  });
  return { said, port: started[0]?.services.daemon?.port };
}

test("on a terminal, a start offers the free port and takes it after a yes", () =>
  withTakenPort(async (config, port) => {
    const { said, port: used } = await serve(config, { terminal: true, answer: "y" });
    expect(used).toBeGreaterThan(port);
    expect(said.stderr).toContain(`port ${port} is taken by another program; ${used} is free`);
    const refused = await serve(config, { terminal: true, answer: "n" });
    expect(refused.port).toBe(port);
  }));

test("without a terminal, nothing is offered and the start refuses the port with 409", () =>
  withTakenPort(async (config, port) => {
    const { said, port: used } = await serve(config, { terminal: false });
    expect([used, said.code]).toEqual([port, 1]);
    expect(said.stderr).not.toContain("is free");
  }));
