import { expect, test } from "bun:test";
import { assembleArgosy } from "../../src/compose/assemble.ts";
import { loadConfig } from "../../src/compose/load-config.ts";
import { services } from "../../src/compose/services.ts";
import { callService } from "../../src/contracts/service-call.ts";
import { silentLogger } from "../../src/kit/log.ts";
import { serviceNames } from "../../src/manifest/files/runtime-file.ts";
import { temporaryFolder } from "../support/temp-folder.ts";

test("each service has a name of runtime.yaml, and a port, variables and a socket of its own", () => {
  for (const { name } of services) expect(serviceNames).toContain(name);
  for (const own of [
    services.map(({ name }) => name),
    services.map(({ port }) => port),
    services.flatMap(({ portVariables }) => portVariables),
    services.map(({ controlSocket }) => controlSocket),
  ])
    expect(new Set<string | number>(own).size).toBe(own.length);
});

test("each service comes after those that it needs", () => {
  using folder = temporaryFolder();
  const config = loadConfig({ workspace: folder.path });
  const names = services.map(({ name }) => name);
  for (const [index, service] of services.entries()) {
    for (const needed of service.needs(config)) expect(names.slice(0, index)).toContain(needed);
  }
});

test("a peer in this process offers its API, and what no network reaches", async () => {
  using folder = temporaryFolder();
  const argosy = await assembleArgosy(loadConfig({ workspace: folder.path }), {
    log: silentLogger,
    only: ["daemon"],
  });
  try {
    const daemon = argosy.foundation.peers.find("daemon");
    if (daemon === undefined) throw new Error("The daemon is not a peer.");
    expect((await callService(daemon, "GET", "/v1/agents")).status).toBe(200);
    expect((await callService(daemon, "GET", "/v1/internal/catalog")).status).toBe(200);
    expect(argosy.foundation.peers.find("platform")).toBeUndefined();
    const { app } = argosy.getService("daemon");
    const request = new Request("http://localhost/v1/internal/catalog");
    expect((await app.handle(request, { peer: "local" })).status).toBe(404);
  } finally {
    await argosy.close(0);
  }
});
