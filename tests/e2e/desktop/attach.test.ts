import { expect, test } from "bun:test";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { attachServer } from "../../../desktop/src/attach.ts";
import { loginPath, merged } from "../../../desktop/src/login-path.ts";
import { startSidecar } from "../../../desktop/src/sidecar.ts";
import { texts } from "../../../desktop/src/texts.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import { freePort } from "../../support/free-port.ts";
import { command, desktopHome, environment, remember, startApp, systemTimer } from "./desktop-world.ts";
import { menuItem } from "./fake-electron.ts";

const parts = { command, environment, timer: systemTimer };

const started = (home: { workspace: string; path: string }, server?: { port: number; key: string }) =>
  startSidecar({
    ...parts,
    workspace: home.workspace,
    logFile: join(home.path, "logs/server.log"),
    ...(server && { server }),
  });

test("without a server there is nothing to attach to", async () => {
  using home = desktopHome();
  expect(await attachServer(parts, home.workspace)).toBeUndefined();
});

test("the server of another program is shown, and continues when the app is detached", async () => {
  using home = desktopHome();
  const running = await started(home);
  const attached = await attachServer(parts, home.workspace);
  expect(attached).toMatchObject({ isOwn: false, origin: running.origin });
  const [first, second] = [await attached?.link(), await attached?.link()];
  expect(first).toStartWith(`${running.origin}/#open=`);
  expect(second).not.toBe(first);
  expect(await attached?.waiting(new AbortController().signal)).toEqual([]);
  await attached?.stop();
  expect((await attached?.ended)?.wanted).toBe(true);
  expect((await fetch(`${running.origin}/healthz`)).status).toBe(200);
  await running.stop();
});

test("a server of another program that ends is reported after two looks without an answer", async () => {
  using home = desktopHome();
  const running = await started(home);
  const clock = new FakeClock();
  let looked = Promise.withResolvers<void>();
  const timer = (ms: number, fire: () => void) => {
    if (ms === 10_000) looked.resolve();
    return clock.timer(ms, fire);
  };
  const attached = await attachServer({ ...parts, timer }, home.workspace);
  await running.stop();
  for (const _ of [1, 2]) {
    await looked.promise;
    looked = Promise.withResolvers();
    await clock.advance(10_000);
  }
  expect(await attached?.ended).toEqual({ wanted: false, how: "its other program" });
});

test("the app opens a workspace that another program serves, and leaves that server running when it quits", async () => {
  using home = desktopHome();
  const running = await started(home);
  remember(home.userData, { recent: [home.workspace] });
  {
    await using app = startApp({ userData: home.userData });
    await app.ran;
    expect(app.page().origin).toBe(running.origin);
    expect(app.page().hash).toStartWith("#open=");
    expect(app.boxes).toEqual([]);
    expect(menuItem(app.menu(), texts.share)?.enabled).toBe(false);
  }
  expect((await fetch(`${running.origin}/healthz`)).status).toBe(200);
  await running.stop();
});

test("with a fixed port and key, another app's key stays valid over a restart", async () => {
  using home = desktopHome();
  const server = { port: freePort(), key: "k".repeat(43) };
  for (const _ of [1, 2]) {
    const running = await started(home, server);
    expect(running.urlOf("daemon")).toBe(`http://127.0.0.1:${server.port}`);
    const call = (key: string) =>
      fetch(`${running.origin}/v1/models`, { headers: { authorization: `Bearer ${key}` } });
    expect([(await call(server.key)).status, (await call("another")).status]).toEqual([200, 401]);
    await running.stop();
  }
});

test("settings fix the port and the key, the menu copies them, and ends it", async () => {
  using home = desktopHome();
  const server = { port: freePort(), key: "k".repeat(43) };
  remember(home.userData, { recent: [home.workspace], server });
  await using app = startApp({ userData: home.userData });
  await app.ran;
  expect(app.page().port).toBe(String(server.port));
  menuItem(app.menu(), texts.copyAccess)?.click?.();
  expect(app.copied).toEqual([texts.access(`http://127.0.0.1:${server.port}`, server.key)]);
  const before = app.window().loaded.length;
  menuItem(app.menu(), texts.share)?.click?.();
  await app.until(() => app.window().loaded.length > before);
  expect(app.page().port).not.toBe(String(server.port));
  expect(menuItem(app.menu(), texts.share)?.checked).toBe(false);
});

test.each([{ port: 80, key: "k".repeat(43) }, { port: 8000, key: "short" }, { port: "8000" }, "on"])(
  "%j in the settings fixes nothing",
  async (server) => {
    using home = desktopHome();
    remember(home.userData, { recent: [home.workspace], server });
    await using app = startApp({ userData: home.userData });
    await app.ran;
    expect(menuItem(app.menu(), texts.share)?.checked).toBe(false);
  },
);

/** A shell that a test writes. */
function shell(folder: string, text: string): string {
  const path = join(folder, "shell");
  writeFileSync(path, `#!/bin/sh\n${text}\n`);
  chmodSync(path, 0o755);
  return path;
}

test.each([
  [
    "a shell with a profile",
    'PATH="/home/a/bin:/usr/bin"; echo Welcome; shift 3; eval "$1"',
    "/home/a/bin:/usr/bin:/bin",
  ],
  ["one that fails", "exit 3", "/bin"],
  ["one that says nothing of use", "echo hello", "/bin"],
])("the PATH of a terminal: %s", async (_, text, expected) => {
  using home = desktopHome();
  const SHELL = shell(home.path, text);
  const given = { environment: { SHELL, PATH: "/bin" }, timer: systemTimer };
  expect(await loginPath({ ...given, platform: "darwin" })).toBe(expected);
  expect(await loginPath({ ...given, platform: "win32" })).toBe("/bin");
});

test("a shell that hangs is ended after 5 s, and a missing one changes nothing", async () => {
  using home = desktopHome();
  const clock = new FakeClock();
  const SHELL = shell(home.path, "exec sleep 600");
  const asking = loginPath({
    environment: { SHELL, PATH: "/bin" },
    platform: "linux",
    timer: (ms, fire) => clock.timer(ms, fire),
  });
  await clock.advance(5_000);
  expect(await asking).toBe("/bin");
  const environment = { SHELL: "/nowhere/sh", PATH: "/bin" };
  expect(await loginPath({ environment, platform: "linux", timer: systemTimer })).toBe("/bin");
});

test("folders count once, and relative ones not at all", () => {
  expect(merged("/a:/b::./x", "/b:/c")).toBe("/a:/b:/c");
});
