import { expect, test } from "bun:test";
import { deploy, startCloud } from "../../../support/cloud.ts";
import { openRunSocket } from "../../../support/platform-stream.ts";
import { onEachEngine } from "../../../support/storage-engines.ts";

onEachEngine("the cloud's stream", (engine) => {
  test("answers each query, and closes with 401 when the credential has ended", async () => {
    await using cloud = await startCloud(engine);
    const ada = await cloud.login("ada@example.com");
    const path = `/api/v1${await deploy(cloud, ada)}/stream`;
    const socket = await openRunSocket(cloud.url, `${path}?token=${ada.accessToken}`);
    socket.send({ query: "hi" });
    expect(await socket.next()).toEqual({ type: "token", content: "Hello there." });
    expect(await socket.next()).toMatchObject({ type: "done", answer: "Hello there.", tokens_used: 120 });
    socket.send({ question: "hi" });
    expect(await socket.next()).toMatchObject({ type: "error", error: "invalid_request", status: 400 });
    await cloud.call("POST", "/auth/logout", { headers: ada.headers });
    socket.send({ query: "hi" });
    expect(await socket.next()).toMatchObject({ type: "error", error: "unauthorized", status: 401 });
    expect(await socket.closed).toBe(1008);
  });

  test("opens by a ticket once; a used ticket is 401", async () => {
    await using cloud = await startCloud(engine);
    const ada = await cloud.login("ada@example.com");
    const path = await deploy(cloud, ada);
    const ticket = async () =>
      (await cloud.call("POST", `${path}/stream-ticket`, { headers: ada.headers })).body.ticket;
    const once = await ticket();
    for (const method of ["HEAD", "GET"])
      expect((await cloud.call(method, `${path}/stream?ticket=${once}`)).status).toBe(400);
    const first = await openRunSocket(cloud.url, `/api/v1${path}/stream?ticket=${once}`);
    expect((await cloud.call("GET", `${path}/stream?ticket=${once}`)).status).toBe(401);
    const others = [];
    for (let number = 0; number < 4; number++) {
      others.push(await openRunSocket(cloud.url, `/api/v1${path}/stream?ticket=${await ticket()}`));
    }
    expect(await cloud.call("GET", `${path}/stream?ticket=${await ticket()}`)).toMatchObject({
      status: 429,
      body: { error: "too_many_streams" },
    });
    first.close();
    for (const socket of others) socket.close();
  });

  test("refuses before the upgrade: 401 without a credential, 403 for another org", async () => {
    await using cloud = await startCloud(engine);
    const ada = await cloud.login("ada@example.com");
    const bob = await cloud.login("bob@example.com");
    const path = await deploy(cloud, ada);
    const open = async (query: string, name = path) =>
      (await cloud.call("GET", `${name}/stream${query}`)).status;
    expect(await open("")).toBe(401);
    expect(await open(`?token=${bob.accessToken}`)).toBe(403);
    expect(await open(`?token=${ada.accessToken}`, `${ada.org}/agents/other`)).toBe(404);
    await cloud.call("POST", `${path}/pause`, { headers: ada.headers });
    expect(await open(`?token=${ada.accessToken}`)).toBe(400);
  });
});
