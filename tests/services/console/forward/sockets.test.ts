import { expect, test } from "bun:test";
import type { ConsoleBrowser } from "../../../support/console-browser.ts";
import { startConsole } from "../../../support/console-server.ts";
import { agentFile } from "../../../support/daemon.ts";
import { openRunSocket, refusedHandshake } from "../../../support/platform-stream.ts";

const agentPath = "/console/api/daemon/v1/ws/agent/helper";

/** A browser's handshake headers: the cookie and the page's origin, without headers of the page's own. */
const handshake = ({ cookie, origin }: ConsoleBrowser) => ({ cookie, origin });

async function ticketFor(browser: ConsoleBrowser): Promise<string> {
  return (await browser.daemon("POST", "/v1/agents/helper/stream-ticket")).body.ticket;
}

test("a run of the daemon streams through a ticket; a used ticket is 401", async () => {
  await using argosy = await startConsole({ services: ["daemon"] });
  const browser = argosy.browser();
  await browser.begin({});
  const path = `${agentPath}?ticket=${await ticketFor(browser)}`;
  const socket = new WebSocket(`${browser.origin.replace("http", "ws")}${path}`, {
    headers: handshake(browser),
  } as unknown as string[]);
  const last = Promise.withResolvers<{ type: string; response: string }>();
  socket.onopen = () => socket.send(JSON.stringify({ query: "Hello?" }));
  socket.onmessage = ({ data }) => {
    const frame = JSON.parse(data);
    if (frame.type === "done") last.resolve(frame);
  };
  socket.onclose = () => last.reject(new Error("closed before the end"));
  expect((await last.promise).response).toContain("Hello?");
  socket.close();
  expect((await refusedHandshake(browser.origin, path, handshake(browser))).status).toBe(401);
});

test("a ticket and an open stream of the daemon end with the session; then the ticket is 401 at the daemon's own port too", async () => {
  await using argosy = await startConsole({ services: ["daemon"] });
  const browser = argosy.browser();
  await browser.begin({});
  const [first, second] = [await ticketFor(browser), await ticketFor(browser)];
  const socket = await openRunSocket(browser.origin, `${agentPath}?ticket=${first}`, handshake(browser));
  expect((await browser.call("DELETE", "/console/session")).status).toBe(204);
  expect(await refusedHandshake(browser.origin, `/v1/ws/agent/helper?ticket=${second}`, {})).toMatchObject({
    status: 401,
  });
  socket.send({ query: "Hello?" });
  expect(await socket.next()).toMatchObject({ type: "error", error: "unauthorized" });
  expect(await socket.closed).toBe(1008);
});

test("a ticket of a console session is 401 at the daemon's own port, where nothing ends it", async () => {
  await using argosy = await startConsole({ services: ["daemon"] });
  const browser = argosy.browser();
  await browser.begin({});
  const path = `/v1/ws/agent/helper?ticket=${await ticketFor(browser)}`;
  expect(await refusedHandshake(browser.origin, path, {})).toMatchObject({ status: 401 });
});

test("a run of the platform streams through a ticket", async () => {
  await using argosy = await startConsole();
  const browser = argosy.browser("platform");
  await browser.begin({ email: "ada@example.com", password: "correct horse", display_name: "Ada" });
  const { id } = (await browser.platform("POST", "/api/v1/tenants", { body: { displayName: "Team" } })).body;
  const headers = { "x-tenant-id": id };
  const body = agentFile("helper", {
    model: { primary: { provider: "rehearsal", model: "rehearsal" } },
    prompts: { system: "You help." },
  });
  expect((await browser.platform("POST", "/api/v1/agents", { headers, body })).status).toBe(201);
  const asked = { headers, body: { query: "Hello?" } };
  const { ticket } = (await browser.platform("POST", "/api/v1/agents/helper/stream-ticket", asked)).body;
  const path = `/console/api/platform/api/v1/agents/helper/run/stream?ticket=${ticket}`;
  const socket = await openRunSocket(browser.origin, path, handshake(browser));
  expect((await socket.rest()).at(-1)).toMatchObject({ type: "done", status: "ok" });
});

test("a socket without the cookie or a ticket is 401, from another origin 403", async () => {
  await using argosy = await startConsole();
  const browser = argosy.browser();
  await browser.begin({});
  const open = async (headers: Record<string, string>, path = agentPath) =>
    refusedHandshake(browser.origin, `${path}?ticket=${await ticketFor(browser)}`, headers);
  const { cookie, origin } = browser;
  expect(await open({ origin })).toMatchObject({ status: 401, body: { error: "session_needed" } });
  expect((await open({ cookie: `${cookie}x`, origin })).status).toBe(401);
  for (const foreign of [argosy.url("platform"), "null", "http://evil.example"]) {
    expect((await open({ cookie, origin: foreign })).status).toBe(403);
  }
  expect((await open({ cookie })).status).toBe(403);
  expect((await open({ cookie, origin, "sec-fetch-site": "cross-site" })).status).toBe(403);
  const other = await refusedHandshake(browser.origin, agentPath, { cookie, origin });
  expect(other).toMatchObject({ status: 401, body: { error: "ticket_needed" } });
});

test("with the cookie alone every path except sockets is 404, with any header", async () => {
  await using argosy = await startConsole();
  const browser = argosy.browser();
  await browser.begin({ link: await argosy.link() });
  for (const path of [
    "/console/api/daemon/v1/agents",
    "/console/api/daemon/v1/ws/agent/helper/more",
    "/console/api/platform/api/v1/me",
    "/console/api/platform/api/v1/admin/audit",
  ]) {
    const refused = await refusedHandshake(browser.origin, `${path}?ticket=x`, handshake(browser));
    expect(refused).toMatchObject({ status: 404, body: { error: "not_found" } });
  }
});
