import { afterEach, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { loadConfig, readConfig } from "../../src/compose/load-config.ts";
import { checkConfiguration } from "../../src/compose/settings/changed-config.ts";
import type { ConfigFlags } from "../../src/compose/settings/config.ts";
import { openModelFiles } from "../../src/compose/settings/model-files.ts";
import { AppError } from "../../src/kit/app-error.ts";
import { silentLogger } from "../../src/kit/log.ts";
import { temporaryFolder } from "../support/temp-folder.ts";

const before = { ...process.env };
afterEach(() => {
  for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
  Object.assign(process.env, before);
});

interface Given {
  flags?: ConfigFlags;
  variables?: Record<string, string>;
  runtime?: string;
}

/** Loads the configuration of a new workspace with these flags, variables and runtime.yaml. */
function load({ flags, variables = {}, runtime }: Given) {
  using folder = temporaryFolder();
  if (runtime !== undefined) writeFileSync(join(folder.path, "runtime.yaml"), runtime);
  Object.assign(process.env, variables);
  const config = loadConfig({ workspace: folder.path, ...flags });
  const origin = (key: string) => {
    const { value, source, name } = config.settings.find((row) => row.key === key) ?? {};
    return [value, source, name];
  };
  return { config, origin };
}

function caught(act: () => unknown): AppError {
  try {
    act();
  } catch (thrown) {
    if (thrown instanceof AppError) return thrown;
    throw thrown;
  }
  throw new Error("Nothing was refused.");
}

function faults(given: Given): string[] {
  try {
    load(given);
  } catch (thrown) {
    if (thrown instanceof AppError) return (thrown.details.problems ?? []).map(({ path }) => path);
    throw thrown;
  }
  return [];
}

const runtime = "spec: {services: {daemon: {port: 9003}}}";

describe("a setting is taken from", () => {
  const table: [from: string, given: Given, port: string, source: string, name: string][] = [
    ["what is built in", {}, "8000", "default", "built in"],
    ["runtime.yaml", { runtime }, "9003", "runtime.yaml", "spec.services.daemon.port"],
    [
      "the environment before that",
      { runtime, variables: { ARGOSY_DAEMON_PORT: "9002" } },
      "9002",
      "environment",
      "ARGOSY_DAEMON_PORT",
    ],
    [
      "the first of its variables",
      { variables: { ARGOSY_DAEMON_PORT: "9002", PLATFORM_PORT: "9001" } },
      "9001",
      "environment",
      "PLATFORM_PORT",
    ],
    [
      "a flag before all",
      { runtime, variables: { PLATFORM_PORT: "9001" }, flags: { port: "0" } },
      "0",
      "flag",
      "--port",
    ],
    ["nowhere by an empty variable", { variables: { PLATFORM_PORT: "" } }, "8000", "default", "built in"],
  ];
  test.each(table)("%s", (_, given, port, source, name) => {
    const { config, origin } = load(given);
    expect(origin("services.daemon.port")).toEqual([port, source, name]);
    expect(config.services.daemon?.port).toBe(Number(port));
  });
});

describe("the address that a service listens on is taken from", () => {
  const runtime = "spec: {services: {daemon: {host: 0.0.0.0}}}";
  const table: [from: string, given: Given, host: string, source: string, name: string][] = [
    ["what is built in", {}, "127.0.0.1", "default", "built in"],
    ["runtime.yaml", { runtime }, "0.0.0.0", "runtime.yaml", "spec.services.daemon.host"],
    [
      "the environment before that",
      { runtime, variables: { ARGOSY_HOST: "127.0.0.1" } },
      "127.0.0.1",
      "environment",
      "ARGOSY_HOST",
    ],
    [
      "the flag before all",
      { runtime, variables: { ARGOSY_HOST: "10.0.0.1" }, flags: { host: "127.0.0.1" } },
      "127.0.0.1",
      "flag",
      "--host",
    ],
    [
      "runtime.yaml where the variable is empty",
      { runtime, variables: { ARGOSY_HOST: "" } },
      "0.0.0.0",
      "runtime.yaml",
      "spec.services.daemon.host",
    ],
  ];
  test.each(table)("%s", (_, given, host, source, name) => {
    const { config, origin } = load(given);
    expect(config.services.daemon?.host).toBe(host);
    expect(origin("services.daemon.host")).toEqual([host, source, name]);
  });

  test("the file for one service only", () => {
    const { config, origin } = load({ runtime });
    expect(config.services.platform?.host).toBe("127.0.0.1");
    expect(origin("services.platform.host")).toEqual(["127.0.0.1", "default", "built in"]);
  });
});

test("secrets are masked in the list, and known as what must not be written", () => {
  const secret = "a-secret-of-at-least-thirty-two-bytes";
  const { config, origin } = load({ variables: { PLATFORM_API_TOKEN: secret } });
  expect(config.access.apiToken).toBe(secret);
  expect(origin("api_token")).toEqual(["••••••••", "environment", "PLATFORM_API_TOKEN"]);
  expect(config.knownSecrets.mask(`x ${secret} y`)).not.toContain(secret);
});

test("the folders of a shell are not passwords, and what else is named so is one", () => {
  const { config } = load({
    variables: { PWD: "/home/ada/desk", OLDPWD: "/home/ada/docs", DB_PWD: "hidden-canary" },
  });
  const said = "/home/ada/desk /home/ada/docs hidden-canary";
  expect(config.knownSecrets.mask(said)).toBe("/home/ada/desk /home/ada/docs [redacted]");
});

describe("a start is refused, naming", () => {
  const table: [given: Given, paths: string[]][] = [
    [{ variables: { PLATFORM_PORT: "70000" } }, ["PLATFORM_PORT"]],
    [{ flags: { port: "0x10" } }, ["--port"]],
    [{ variables: { PLATFORM_API_TOKEN: "short" } }, ["PLATFORM_API_TOKEN"]],
    [
      { variables: { ARGOSY_TRUSTED_PROXIES: "10.0.0.0/8,all,::/0" } },
      ["ARGOSY_TRUSTED_PROXIES", "ARGOSY_TRUSTED_PROXIES"],
    ],
    [{ variables: { ARGOSY_TRUSTED_PROXIES: "10.0.0.0/8,," } }, ["ARGOSY_TRUSTED_PROXIES"]],
    [{ variables: { PLATFORM_LOG_LEVEL: "loud" } }, ["PLATFORM_LOG_LEVEL"]],
    [{ variables: { DATABASE_URL: "mysql://x/y" } }, ["DATABASE_URL"]],
    [{ variables: { PLATFORM_ROLE: "workers" } }, ["PLATFORM_ROLE"]],
    [{ variables: { PLATFORM_MESH_ENABLED: "maybe" } }, ["PLATFORM_MESH_ENABLED"]],
    [{ variables: { PLATFORM_MESH_ENABLED: "true", PLATFORM_MESH_SEEDS: "a" } }, ["PLATFORM_MESH_SEEDS"]],
    [{ variables: { PLATFORM_MESH_ENABLED: "true", PLATFORM_NODE_NAME: "A b" } }, ["PLATFORM_NODE_NAME"]],
    [{ variables: { PLATFORM_MESH_ENABLED: "true" }, flags: { port: "0" } }, ["spec.mesh.advertise"]],
    [
      { variables: { PLATFORM_MESH_ENABLED: "true" }, flags: { host: "0.0.0.0" } },
      ["spec.mesh.advertise", "PLATFORM_MESH_SECRET"],
    ],
    [{ runtime: 'spec: {mesh: {enabled: true, advertise: "10.0.0.1:8000"}}' }, ["PLATFORM_MESH_SECRET"]],
    [{ variables: { PLATFORM_MESH_ENABLED: "true" }, flags: { services: "platform" } }, ["mesh.enabled"]],
    ...[
      [{ PLATFORM_MESH_ENABLED: "true" }, "spec: {}", ["runtime.yaml spec.vectors.backend"]],
      [{ PLATFORM_MESH_ENABLED: "true" }, "spec: {vectors: {backend: lancedb}}", []],
      [{ PLATFORM_MESH_ENABLED: "true" }, "spec: {vectors: {backend: pgvector}}", []],
      [{ PLATFORM_ROLE: "mesh-inference" }, "spec: {}", []],
      [{}, "spec: {}", []],
    ].map(([more, runtime, paths]): [Given, string[]] => [
      { variables: { DATABASE_URL: "postgres://x/y", ...(more as object) }, runtime: runtime as string },
      paths as string[],
    ]),
    [{ variables: { ARGOSY_SHARED_WORKSPACE: "some" } }, ["ARGOSY_SHARED_WORKSPACE"]],
    [{ variables: { PLATFORM_PERSIST_AGENTS: "files" } }, ["PLATFORM_PERSIST_AGENTS"]],
    [{ flags: { services: "daemon,moon" } }, ["--services"]],
    [{ variables: { PLATFORM_OPERATOR_TOKEN: "short" } }, ["PLATFORM_OPERATOR_TOKEN"]],
    [{ runtime: "spec: {platform: {registration: all}}" }, ["spec.platform.registration"]],
    [{ runtime: 'spec: {platform: {runtime_url: "http://far:8000"}}' }, ["PLATFORM_RUNTIME_TOKEN"]],
    [{ variables: { PLATFORM_GATEWAY_URL: "http://far:8081" } }, ["GATEWAY_TRUSTED_SENDER_KEY"]],
    [{ runtime: "spec: {servces: {}}" }, ["spec.servces"]],
    [
      { variables: { PLATFORM_PORT: "x", PLATFORM_LOG_FORMAT: "y", PLATFORM_ROLE: "gateways" } },
      ["PLATFORM_ROLE", "PLATFORM_PORT", "PLATFORM_LOG_FORMAT"],
    ],
  ];
  test.each(table)("%j", (given, paths) => {
    expect(faults(given)).toEqual(paths);
  });

  test.each(["", "false", "full"])("but not for harmless values (%j)", (value) => {
    const variables = value === "full" ? { PLATFORM_ROLE: value } : { PLATFORM_MESH_ENABLED: value };
    expect(faults({ variables })).toEqual([]);
  });
});

test("the platform is set up by the file, its secrets by the environment", () => {
  const { config } = load({
    runtime:
      "spec: {runtime: {durable: false}, platform: {registration: invite, run_timeout_seconds: 30, allow_unpriced: false}, services: {platform: {port: 9080}}}",
    variables: { PLATFORM_OPERATOR_TOKEN: "o".repeat(32), ARGOSY_PLATFORM_PORT: "9081" },
  });
  expect(config.platform).toEqual({
    registration: "invite",
    runTimeoutSeconds: 30,
    durable: false,
    allowUnpriced: false,
    operatorToken: "o".repeat(32),
  });
  expect(config.services.platform?.port).toBe(9081);
  expect(config.warnings).toEqual([]);
  expect(JSON.stringify(config.settings)).not.toContain("oooo");
});

test("who takes any free port for the daemon takes one for every service that says nothing else", () => {
  expect(load({ flags: { port: "0" } }).config.services.platform?.port).toBe(0);
  expect(load({ flags: { port: "9000" } }).config.services.platform?.port).toBe(8080);
  const variables = { ARGOSY_PLATFORM_PORT: "9081" };
  expect(load({ flags: { port: "0" }, variables }).config.services.platform?.port).toBe(9081);
});

test("agents that are sent are kept in files only when that is asked for", () => {
  expect(load({}).config.persistAgents).toBe(false);
  const { config } = load({ variables: { PLATFORM_PERSIST_AGENTS: "1" } });
  expect(config.persistAgents).toBe(true);
  expect(config.warnings).toEqual([]);
});

test("a variable that changes nothing is a warning", () => {
  const { config } = load({ variables: { PLATFORM_MESH_SEEDS: "a:1", PLATFORM_NODE_NAME: "" } });
  expect(config.warnings).toEqual([
    "PLATFORM_MESH_SEEDS is set, but the mesh is off: set PLATFORM_MESH_ENABLED=true to use it.",
  ]);
});

describe("a setting of a part that is off is a warning:", () => {
  const mesh = (path: string) =>
    `${path} is set, but the mesh is off: set PLATFORM_MESH_ENABLED=true to use it.`;
  const traces = (path: string) =>
    `${path} is set, but traces are not exported: set spec.observability.otlp.enabled in runtime.yaml to true.`;
  const otlp = (more: string) =>
    `spec: {observability: {otlp: {endpoint: "http://a:4318/v1/traces"${more}}}}`;
  const table: [name: string, given: Given, warnings: string[]][] = [
    ["seeds in the file", { runtime: 'spec: {mesh: {seeds: ["a:1"]}}' }, [mesh("spec.mesh.seeds")]],
    ["its own address", { runtime: 'spec: {mesh: {advertise: "a:1"}}' }, [mesh("spec.mesh.advertise")]],
    ["not a node's name, which peers use", { runtime: "spec: {mesh: {node_name: a}}" }, []],
    ["not where the file says so", { runtime: 'spec: {mesh: {enabled: false, seeds: ["a:1"]}}' }, []],
    [
      "not in a mesh",
      { runtime: 'spec: {mesh: {seeds: ["a:1"]}}', variables: { PLATFORM_MESH_ENABLED: "true" } },
      [],
    ],
    ["a collector", { runtime: otlp("") }, [traces("spec.observability.otlp.endpoint")]],
    [
      "a collector's header",
      { runtime: "spec: {observability: {otlp: {headers: {a: b}}}}" },
      [traces("spec.observability.otlp.headers")],
    ],
    ["not with the export on", { runtime: otlp(", enabled: true") }, []],
    ["not where the export is turned off", { runtime: otlp(", enabled: false") }, []],
    [
      "a variable for the collector",
      { variables: { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://a:4318/v1/traces" } },
      [traces("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")],
    ],
  ];
  test.each(table)("%s", async (_, given, warnings) => {
    using folder = temporaryFolder();
    if (given.runtime !== undefined) writeFileSync(join(folder.path, "runtime.yaml"), given.runtime);
    Object.assign(process.env, given.variables);
    const config = loadConfig({ workspace: folder.path });
    expect(config.warnings).toEqual(warnings);
    const { status, message } = await checkConfiguration(config, openModelFiles(config, silentLogger));
    expect(status).toBe(warnings.length === 0 ? "healthy" : "degraded");
    for (const warning of warnings) expect(message).toContain(warning);
  });
});

describe("the address of a database that no driver can read is refused without showing it:", () => {
  const table: [variable: string, address: string, says: string][] = [
    [
      "DATABASE_URL",
      "postgres://u:canary100%@host/db",
      "an address with each % of its password written as %25",
    ],
    [
      "DATABASE_URL",
      "postgres://u:canary@host/db?sslmode=on",
      "disable, allow, prefer, require, verify-ca, verify-full",
    ],
    ["REDIS_URL", "redis://:canary100%@host:6379", "an address with each % of its password written as %25"],
  ];
  test.each(table)("%s %s", (variable, address, says) => {
    const error = caught(() => load({ variables: { [variable]: address } }));
    expect(error).toMatchObject({ code: "invalid_config" });
    expect(error.message).toContain(`${variable} must be`);
    expect(error.message).toContain(says);
    expect(JSON.stringify([error.message, error.details])).not.toContain("canary");
  });
});

test("trusted proxies are shown as they were written, and a wrong one is named", () => {
  expect(load({}).config.access.trustedProxies).toBeUndefined();
  const { config, origin } = load({ variables: { ARGOSY_TRUSTED_PROXIES: "10.0.0.0/8, ::1" } });
  expect(config.access.trustedProxies).toHaveLength(2);
  expect(origin("trusted_proxies")).toEqual(["10.0.0.0/8,::1", "environment", "ARGOSY_TRUSTED_PROXIES"]);
  expect(config.warnings).toEqual([]);
  expect(() => load({ variables: { ARGOSY_TRUSTED_PROXIES: "10.0.0.0/8,all" } })).toThrow(
    'ARGOSY_TRUSTED_PROXIES has "all", which is not an address or network such as 10.1.0.0/16.',
  );
});

describe("a secret with invisible characters is refused with their names and places", () => {
  const secret = "a-secret-of-at-least-thirty-two-bytes";
  test.each([
    [`${secret}\n`, "a line break at its end"],
    [`${secret}\r\n`, "a line break at its end"],
    [` ${secret}`, "a blank at its start"],
    [`${secret}\t${secret}`, "a tab inside"],
    [`\uFEFF${secret}`, "U+FEFF at its start"],
    [`${secret}\u200B`, "U+200B at its end"],
    [`${secret}\u007F`, "U+007F at its end"],
    ["\n".repeat(32), "a line break at its start"],
  ])("%j", (value, what) => {
    expect(() => load({ variables: { PLATFORM_API_TOKEN: value } })).toThrow(
      `PLATFORM_API_TOKEN must be without white space and control characters: there is ${what}.`,
    );
  });
});

test("every secret is read so", () => {
  const names = [
    "PLATFORM_RUNTIME_TOKEN",
    "PLATFORM_API_TOKEN",
    "PLATFORM_OPERATOR_TOKEN",
    "GATEWAY_TRUSTED_SENDER_KEY",
    "GATEWAY_ADMIN_TOKEN",
    "GATEWAY_BOT_WEBHOOK_SECRET",
  ];
  const value = `${"s".repeat(32)}\n`;
  const variables = Object.fromEntries(names.map((name) => [name, value]));
  expect(faults({ variables }).sort()).toEqual(names.sort());
});

test("REDIS_URL is a Redis address, and its password a secret", () => {
  const { config } = load({ variables: { REDIS_URL: "redis://:hidden-canary@cache:6379/2" } });
  expect(config.redisUrl).toBe("redis://:hidden-canary@cache:6379/2");
  expect(config.warnings).toEqual([]);
  expect(JSON.stringify(config.settings)).not.toContain("hidden-canary");
  expect(config.knownSecrets.mask("it is hidden-canary")).not.toContain("hidden-canary");
  for (const wrong of ["cache:6379", "http://cache", "redis://", "redis://cache/name"])
    expect(() => load({ variables: { REDIS_URL: wrong } })).toThrow(/REDIS_URL must be a Redis address/);
});

describe("a token that callers on this machine need as well", () => {
  const token = "a".repeat(43);

  test("is required with ARGOSY_REQUIRE_TOKEN", () => {
    const variables = { PLATFORM_API_TOKEN: token, ARGOSY_REQUIRE_TOKEN: "true" };
    expect(load({ variables }).config.access.requiresToken).toBe(true);
  });

  test("must exist, and can't go with --insecure-open", () => {
    expect(faults({ variables: { ARGOSY_REQUIRE_TOKEN: "true" } })).toEqual(["ARGOSY_REQUIRE_TOKEN"]);
    const variables = { PLATFORM_API_TOKEN: token, ARGOSY_REQUIRE_TOKEN: "true" };
    expect(faults({ flags: { insecureOpen: true }, variables })).toEqual(["ARGOSY_REQUIRE_TOKEN"]);
  });
});

test("a workspace without trust gets no variables, and the faults of all its files are reported at once", () => {
  using folder = temporaryFolder();
  const files = {
    "runtime.yaml": "spec: {tenants: {tools: {}, providers: 5}}",
    "providers.yaml": "providers: {acme: {type: vllm, endpoint: 'http://127.0.0.1:1/$".concat(
      "{KEY_OF_USER}'}}",
    ),
    "connections.yaml": Uint8Array.of(0xff, 0xfe),
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder.path, name), text);
  process.env.KEY_OF_USER = "canary-1";
  const read = (trust: boolean) => readConfig({ workspace: folder.path, trust });
  const faulty = ({ fault }: ReturnType<typeof read>) => [
    ...new Set(fault?.details.problems?.map((problem) => problem.file)),
  ];

  const refused = read(false);
  expect(faulty(refused)).toEqual(["runtime.yaml", "connections.yaml"]);
  expect(refused.providers.providers).toEqual({});
  expect(refused.left.join()).toContain(
    "providers.yaml providers.acme is not used: the workspace is not trusted",
  );

  const trusted = read(true);
  expect(faulty(trusted)).toEqual(["runtime.yaml", "connections.yaml"]);
  expect(trusted.providers.providers.acme?.endpoint).toBe("http://127.0.0.1:1/canary-1");
  expect(trusted.left).toEqual([]);
});
