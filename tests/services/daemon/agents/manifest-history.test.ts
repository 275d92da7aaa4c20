import { expect, test } from "bun:test";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ManifestVersion } from "../../../../src/contracts/daemon/agent-versions.ts";
import { agentFile, type DaemonOptions, startDaemon, type TestDaemon } from "../../../support/daemon.ts";
import { temporaryFolder } from "../../../support/temp-folder.ts";

const described = (text: string) => agentFile("one", { identity: { description: text } });
const fileOf = (daemon: TestDaemon) => join(daemon.workspace, "agents", "one.agent.yaml");
const path = "/v1/agents/one";

const start = (options: DaemonOptions = {}) =>
  startDaemon({
    agents: { "one.agent.yaml": described("first") },
    ...options,
    configure: (config) => ({ ...(options.configure?.(config) ?? config), persistAgents: true }),
  });

const put = (daemon: TestDaemon, text: string) =>
  daemon.asOwner("PUT", path, { body: text, headers: { "content-type": "application/yaml" } });

async function versions(daemon: TestDaemon): Promise<ManifestVersion[]> {
  return (await daemon.asOwner("GET", `${path}/versions`)).body.versions;
}

test("each version is kept with its origin, and is restored as a new one", async () => {
  await using daemon = await start();
  await put(daemon, described("second"));
  writeFileSync(fileOf(daemon), described("third"));
  await daemon.clock.advance(3000);
  const [third, second, first] = await versions(daemon);
  expect(third).toMatchObject({ number: 3, origin: "file", current: true, masked: false });
  expect(second).toMatchObject({ number: 2, origin: "api", current: false });
  expect(first).toMatchObject({ number: 1, origin: "file", current: false });
  const read = await daemon.asOwner("GET", `${path}/versions/1`);
  expect(read.body).toMatchObject({ number: 1, manifest: described("first") });

  const tag = (await daemon.asOwner("GET", `${path}/manifest`)).headers.get("etag") ?? "";
  const restore = (number: string, match = tag) =>
    daemon.asOwner("POST", `${path}/versions/${number}/restore`, { headers: { "if-match": match } });
  expect(await restore("1", '"stale"')).toMatchObject({ status: 412, body: { error: "version_changed" } });
  expect(await restore("1")).toMatchObject({ status: 200, body: { description: "first" } });
  expect((await daemon.asOwner("GET", `${path}/manifest`)).text).toBe(described("first"));
  expect((await versions(daemon)).map(({ number, current }) => [number, current])).toEqual([
    [4, true],
    [3, false],
    [2, false],
    [1, false],
  ]);
});

test("the same text again, a broken file and a pause are not versions", async () => {
  await using daemon = await start();
  await put(daemon, described("first"));
  writeFileSync(fileOf(daemon), "kind: Agent\nspec: [");
  await daemon.clock.advance(3000);
  await daemon.asOwner("POST", `${path}/pause`);
  expect(await versions(daemon)).toHaveLength(1);
});

test("versions outlive a restart, and an edit while the daemon was stopped is one", async () => {
  using folder = temporaryFolder();
  const workspace = folder.path;
  {
    await using daemon = await start({ workspace });
    await put(daemon, described("second"));
  }
  writeFileSync(join(workspace, "agents", "one.agent.yaml"), described("offline"));
  await using daemon = await start({ workspace, agents: {} });
  expect((await versions(daemon)).map(({ number, origin }) => [number, origin])).toEqual([
    [3, "file"],
    [2, "api"],
    [1, "file"],
  ]);
});

test("deleting an agent deletes its versions: 404", async () => {
  await using daemon = await start();
  await put(daemon, described("second"));
  await daemon.asOwner("DELETE", path);
  expect((await daemon.asOwner("GET", `${path}/versions`)).status).toBe(404);
  await put(daemon, described("another"));
  expect((await versions(daemon)).map(({ number }) => number)).toEqual([1]);
});

test("the versions of an agent whose file was removed by hand are 404 until the file returns", async () => {
  await using daemon = await start();
  rmSync(fileOf(daemon));
  await daemon.clock.advance(3000);
  expect((await daemon.asOwner("GET", `${path}/versions`)).status).toBe(404);
  writeFileSync(fileOf(daemon), described("back"));
  await daemon.clock.advance(3000);
  expect((await versions(daemon)).map(({ number }) => number)).toEqual([2, 1]);
});

test("the newest 50 versions are kept", async () => {
  await using daemon = await start();
  for (let version = 2; version <= 53; version++) await put(daemon, described(`version ${version}`));
  const kept = await versions(daemon);
  expect(kept).toHaveLength(50);
  expect([kept[0]?.number, kept.at(-1)?.number]).toEqual([53, 4]);
});

test("a secret is masked before it is stored, and restoring such a version is 409", async () => {
  await using daemon = await start();
  const secret = "x7Qz9kLm/w+p";
  const text = agentFile("one", {
    tools: [
      {
        name: "send_email",
        type: "builtin",
        config: {
          smtp_host: "mail.example.com",
          smtp_user: "ann",
          smtp_password: secret,
          from_address: "a@example.com",
        },
      },
    ],
  });
  expect((await put(daemon, text)).status).toBe(200);
  await put(daemon, described("without"));
  const read = await daemon.asOwner("GET", `${path}/versions/2`);
  expect(read.body.masked).toBe(true);
  expect(read.text).not.toContain(secret);
  expect(await daemon.asOwner("POST", `${path}/versions/2/restore`)).toMatchObject({
    status: 409,
    body: { error: "version_masked" },
  });
});

test.each([
  ["GET", "/v1/agents/nobody/versions", 404, "agent_not_found"],
  ["GET", "/v1/agents/nobody/versions/1", 404, "agent_not_found"],
  ["POST", "/v1/agents/nobody/versions/1/restore", 404, "agent_not_found"],
  ["GET", `${path}/versions/7`, 404, "version_not_found"],
  ["POST", `${path}/versions/7/restore`, 404, "version_not_found"],
  ["GET", `${path}/versions/0`, 400, "invalid_request"],
  ["GET", `${path}/versions/1e9`, 400, "invalid_request"],
  ["GET", `${path}/versions/-1`, 400, "invalid_request"],
  ["POST", `${path}/versions/99999999999999999999/restore`, 400, "invalid_request"],
  ["GET", `${path}/versions/${encodeURIComponent("<img src=x>")}`, 400, "invalid_request"],
] as const)("%s %s is refused with %i %s", async (method, target, status, error) => {
  await using daemon = await start();
  expect(await daemon.asOwner(method, target)).toMatchObject({ status, body: { error } });
});

test("a stranger who restores a version of the owner's agent is 403", async () => {
  await using daemon = await start();
  await put(daemon, described("second"));
  expect(await daemon.call("POST", `${path}/versions/1/restore`)).toMatchObject({
    status: 403,
    body: { error: "owner_only" },
  });
});
