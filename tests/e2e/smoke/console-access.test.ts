import { expect } from "bun:test";
import { type ConsoleBrowser, consoleBrowser } from "../../support/console-browser.ts";
import { agentFile } from "../../support/daemon.ts";
import { argosy, executableTest, type ServerProcess, startServer } from "../../support/executable.ts";
import { openRunSocket } from "../../support/platform-stream.ts";
import { temporaryFolder } from "../../support/temp-folder.ts";
import { writeFiles } from "../../support/write-files.ts";

const services = ["daemon", "platform"];
const helper = agentFile("helper", {
  model: { primary: { provider: "rehearsal", model: "rehearsal" } },
  prompts: { system: "You help." },
});

/** Limit for the first load, in bytes. */
const firstLoadBytesMax = 200_000;

executableTest(
  "the page and its files come from the executable, small enough and kept for ever",
  async () => {
    using folder = temporaryFolder();
    await using server = await startServer(folder.path, { services });
    const urls = [server.urlOf("daemon"), `${server.urlOf("platform")}/tenants`];
    for (const [url, language] of urls.flatMap((url) => [[url, "en"] as const, [url, "es"] as const])) {
      const page = await fetch(url, { headers: { "accept-language": language } });
      expect(page.headers.get("content-language")).toBe(language);
      expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
      const html = await page.text();
      const paths = [...html.matchAll(/(?:src|href)="(\/console\/[^"]+)"/g)].map(([, path]) => path);
      expect(paths.length).toBeGreaterThan(1);
      let bytes = html.length;
      for (const path of paths) {
        const file = await fetch(new URL(path ?? "", url), {
          headers: { "accept-encoding": "br" },
          decompress: false,
        });
        expect([path, file.status, file.headers.get("content-encoding")]).toEqual([path, 200, "br"]);
        expect(file.headers.get("cache-control")).toContain("immutable");
        bytes += (await file.bytes()).byteLength;
      }
      expect(bytes).toBeLessThan(firstLoadBytesMax);
    }
  },
);

executableTest(
  "a link of `argosy console` opens both sides, and a run streams through a ticket",
  async () => {
    using folder = temporaryFolder();
    writeFiles(folder.path, { "agents/helper.agent.yaml": helper });
    await using server = await startServer(folder.path, { services });
    const { code, stdout } = await argosy(folder.path, ["console"]);
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/#open=[\w-]{43}\n$/),
    ]);
    const link = stdout.trim().split("#open=")[1] ?? "";
    const owner = consoleBrowser(server.url);
    expect((await owner.begin({ link })).body.signed_in).toMatchObject({ daemon: true, operator: true });

    expect((await owner.daemon("GET", "/v1/agents")).body.agents).toMatchObject([{ name: "helper" }]);
    const { ticket } = (await owner.daemon("POST", "/v1/agents/helper/stream-ticket")).body;
    const path = `/console/api/daemon/v1/ws/agent/helper?ticket=${ticket}`;
    expect(await answerOver(owner, path)).toContain("Hello?");

    const { id } = (await owner.platform("POST", "/api/v1/tenants", { body: { displayName: "Team" } })).body;
    const headers = { "x-tenant-id": id };
    expect((await owner.platform("POST", "/api/v1/agents", { headers, body: helper })).status).toBe(201);
    const asked = { headers, body: { query: "Hello?" } };
    const issued = (await owner.platform("POST", "/api/v1/agents/helper/stream-ticket", asked)).body;
    const socket = await openRunSocket(
      server.url,
      `/console/api/platform/api/v1/agents/helper/run/stream?ticket=${issued.ticket}`,
      { cookie: owner.cookie, origin: owner.origin },
    );
    expect((await socket.rest()).at(-1)).toMatchObject({ type: "done", status: "ok" });
    expect((await owner.platform("GET", "/api/v1/admin/invocations")).body.invocations).toHaveLength(1);

    const secrets = [link, owner.key, owner.cookie.split("=")[1] ?? "", ticket, issued.ticket];
    for (const secret of secrets) expect(server.stderr()).not.toContain(secret);
  },
);

executableTest("a session outlives a restart, and a stopped server prints no link", async () => {
  using folder = temporaryFolder();
  const start = () => startServer(folder.path, { services });
  let kept: Pick<ConsoleBrowser, "cookie" | "key">;
  {
    await using server = await start();
    const owner = consoleBrowser(server.url);
    await owner.begin({ link: await linkOf(folder.path) });
    kept = { cookie: owner.cookie, key: owner.key };
    await stopped(server);
  }
  const none = await argosy(folder.path, ["console"]);
  expect([none.code, none.stdout]).toEqual([1, ""]);
  expect(none.stderr).toContain("argosy serve");

  await using server = await start();
  const owner = consoleBrowser(server.url);
  owner.key = kept.key;
  // The server uses another port, which is a part of the cookie's name.
  owner.cookie = kept.cookie.replace(/_\d+=/, `_${server.port}=`);
  const { body } = await owner.call("GET", "/console/session");
  expect(body.signed_in).toMatchObject({ local: true, person: { email: "owner@localhost" } });
  expect((await owner.platform("GET", "/api/v1/me")).status).toBe(200);
});

async function linkOf(folder: string): Promise<string> {
  const { stdout } = await argosy(folder, ["console", "--json"]);
  return JSON.parse(stdout).url.split("#open=")[1];
}

async function stopped(server: ServerProcess): Promise<void> {
  server.kill("SIGTERM");
  expect(await server.exited).toBe(0);
}

/** Returns an agent's answer to "Hello?" on its WebSocket. */
function answerOver({ origin, cookie }: ConsoleBrowser, path: string): Promise<string> {
  const socket = new WebSocket(`${origin.replace("http", "ws")}${path}`, {
    headers: { origin, cookie },
  } as unknown as string[]);
  const answer = Promise.withResolvers<string>();
  socket.onopen = () => socket.send(JSON.stringify({ query: "Hello?" }));
  socket.onmessage = ({ data }) => {
    const frame = JSON.parse(data);
    if (frame.type === "done") answer.resolve(frame.response);
  };
  socket.onclose = () => answer.reject(new Error("The socket was closed before the answer."));
  return answer.promise.finally(() => socket.close());
}
