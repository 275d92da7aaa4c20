import { expect } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { argosy, executableTest, startServer } from "../support/executable.ts";
import { temporaryFolder } from "../support/temp-folder.ts";
import { writeFiles } from "../support/write-files.ts";

const token = "a-token-of-more-than-thirty-two-bytes";
const bearer = { authorization: `Bearer ${token}` };

executableTest(
  "beyond this machine every call except health is 401 without the token; the command line needs none",
  async () => {
    using folder = temporaryFolder();
    await argosy(folder.path, ["init"]);
    const env = { PLATFORM_API_TOKEN: token, ARGOSY_ALLOWED_HOSTS: "argosy.example" };
    await using server = await startServer(folder.path, { args: ["--host", "0.0.0.0"], env });
    const statusOf = async (path: string, headers: Record<string, string> = {}) =>
      (await server.call("GET", path, { headers })).status;

    expect(await statusOf("/v1/agents")).toBe(401);
    expect(await statusOf("/v1/agents", { authorization: "Bearer wrong" })).toBe(401);
    expect(await statusOf("/v1/agents", bearer)).toBe(200);
    for (const path of ["/health", "/v1/health", "/healthz", "/readyz"])
      expect(await statusOf(path)).toBe(200);
    expect((await server.run("assistant", "Hello.")).status).toBe(401);

    expect(await statusOf("/v1/agents", { ...bearer, host: "argosy.example" })).toBe(200);
    expect(await statusOf("/v1/agents", { ...bearer, host: "other.example" })).toBe(421);
    expect(await statusOf("/v1/agents", { ...bearer, origin: "https://argosy.example" })).toBe(200);
    expect(await statusOf("/v1/agents", { ...bearer, origin: "https://other.example" })).toBe(403);

    // Through the control socket, whose file only this user may open.
    const listed = await argosy(folder.path, ["agents", "--json"]);
    expect(JSON.parse(listed.stdout).agents).toHaveLength(1);
  },
);

executableTest(
  "bound to one address it is called by that address, bound to all it says what is missing",
  async () => {
    using folder = temporaryFolder();
    const env = { PLATFORM_API_TOKEN: token };
    for (const host of ["::1", "127.0.0.2"]) {
      await using server = await startServer(folder.path, { args: ["--host", host], env });
      expect((await server.call("GET", "/v1/agents")).status).toBe(200);
    }
    await using server = await startServer(folder.path, { args: ["--host", "0.0.0.0"], env });
    expect((await server.logged("service.unnamed")).message).toContain("ARGOSY_ALLOWED_HOSTS");
  },
);

executableTest("on this machine no token is needed; a request that a proxy forwarded is 401", async () => {
  using folder = temporaryFolder();
  await using server = await startServer(folder.path, { env: { PLATFORM_API_TOKEN: token } });
  const forwarded = { "x-forwarded-for": "203.0.113.7" };
  expect((await server.call("GET", "/v1/agents")).status).toBe(200);
  expect((await server.call("GET", "/v1/agents", { headers: forwarded })).status).toBe(401);
  expect((await server.call("GET", "/v1/agents", { headers: { ...forwarded, ...bearer } })).status).toBe(200);
});

executableTest("--insecure-open listens without a token and warns at each start", async () => {
  using folder = temporaryFolder();
  await using server = await startServer(folder.path, { args: ["--host", "0.0.0.0", "--insecure-open"] });
  expect(await server.logged("service.open")).toMatchObject({
    level: "warning",
    service: "daemon",
    host: "0.0.0.0",
  });
  expect(server.url).toStartWith("http://127.0.0.1:");
  expect((await server.call("GET", "/v1/agents")).status).toBe(200);
});

executableTest("files that Bun would read by itself change nothing", async () => {
  using folder = temporaryFolder();
  writeFiles(folder.path, {
    ".env": "PLATFORM_API_TOKEN=short\nPLATFORM_LOG_LEVEL=nonsense\n",
    ".env.production": "PLATFORM_API_TOKEN=short\n",
    "bunfig.toml": 'preload = ["./preload.ts"]\n',
    "preload.ts": 'require("node:fs").writeFileSync("loaded", "");',
    "package.json": "no JSON",
    "tsconfig.json": "no JSON",
  });
  await using server = await startServer(folder.path);
  expect((await server.call("GET", "/readyz")).status).toBe(200);
  expect(existsSync(join(folder.path, "loaded"))).toBe(false);
});

executableTest(
  "a certificate and its key make it speak TLS",
  async () => {
    using folder = temporaryFolder();
    const made = Bun.spawnSync(
      [
        ...["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"],
        ...["-keyout", "key.pem", "-out", "cert.pem", "-days", "2", "-subj", "/CN=localhost"],
        ...["-addext", "subjectAltName=IP:127.0.0.1"],
      ],
      { cwd: folder.path },
    );
    expect(made.success).toBe(true);
    const ca = readFileSync(join(folder.path, "cert.pem"), "utf8");
    const env = { ARGOSY_TLS_CERT: "cert.pem", ARGOSY_TLS_KEY: "key.pem" };
    await using server = await startServer(folder.path, { env, tls: { ca } });
    expect(server.url).toStartWith("https://127.0.0.1:");
    expect((await server.call("GET", "/readyz")).status).toBe(200);
    expect((await argosy(folder.path, ["agents"])).code).toBe(0);
  },
  Bun.which("openssl") === null ? "no openssl" : undefined,
);

executableTest("--services names what starts, PLATFORM_PORT where, and a flag comes before it", async () => {
  using folder = temporaryFolder();
  const env = { PLATFORM_PORT: "1" };
  await using server = await startServer(folder.path, { args: ["--services", "daemon", "--port", "0"], env });
  expect(server.port).toBeGreaterThan(1);
  expect((await server.call("GET", "/healthz")).body).toMatchObject({ service: "daemon" });
});
