import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { MessageBox } from "../../../desktop/src/electron-api.ts";
import { runCommand } from "../../../desktop/src/sidecar.ts";
import { texts } from "../../../desktop/src/texts.ts";
import { command, desktopHome, environment, remember, startApp, systemTimer } from "./desktop-world.ts";
import { menuItem } from "./fake-electron.ts";

const settingsOf = (userData: string) => JSON.parse(readFileSync(join(userData, "settings.json"), "utf8"));

/** A home whose last workspace is known, and the app over it. */
async function openedApp(more: Partial<Parameters<typeof startApp>[0]> = {}, settings: object = {}) {
  const home = desktopHome();
  remember(home.userData, { recent: [home.workspace], ...settings });
  const app = startApp({ userData: home.userData, ...more });
  await app.ran;
  return {
    home,
    app,
    async [Symbol.asyncDispose]() {
      await app[Symbol.asyncDispose]();
      home[Symbol.dispose]();
    },
  };
}

const answersAt = (origin: string) =>
  fetch(`${origin}/healthz`).then(
    ({ ok }) => ok,
    () => false,
  );

describe("start and end", () => {
  test("the last workspace opens through a one-time link, and quitting stops its server", async () => {
    await using opened = await openedApp();
    const { app } = opened;
    expect(app.page().hash).toStartWith("#open=");
    const { origin } = app.page();
    expect(await answersAt(origin)).toBe(true);
    expect(app.schemes).toEqual(["argosy"]);
    app.api.app.quit();
    await app.until(() => app.quits() > 0);
    expect(await answersAt(origin)).toBe(false);
  });

  test("a second instance quits without a window or a server", async () => {
    using home = desktopHome();
    remember(home.userData, { recent: [home.workspace] });
    const app = startApp({ userData: home.userData, locked: true });
    await app.ran;
    expect([app.windows.length, app.quits()]).toEqual([0, 1]);
    expect(existsSync(join(home.workspace, ".argosy"))).toBe(false);
  });

  test("the first start creates a workspace from the template", async () => {
    using home = desktopHome();
    remember(home.userData, {});
    const folder = join(home.path, "new");
    await using app = startApp({
      userData: home.userData,
      answer: () => texts.newWorkspace,
      folder: () => folder,
    });
    await app.ran;
    expect(existsSync(join(folder, "agents/assistant.agent.yaml"))).toBe(true);
    expect(await answersAt(app.page().origin)).toBe(true);
    expect(settingsOf(home.userData).recent).toEqual([folder]);
  });

  test.each([
    [texts.trust, true],
    [texts.openWithout, false],
  ])("a workspace from elsewhere with programs is asked about; %s is kept: %p", async (button, trusted) => {
    using home = desktopHome();
    mkdirSync(join(home.workspace, "tools"));
    writeFileSync(join(home.workspace, "tools/evil.ts"), "throw new Error();");
    remember(home.userData, { recent: [home.workspace] });
    await using app = startApp({ userData: home.userData, answer: () => button });
    await app.ran;
    expect(app.page().hash).toStartWith("#open=");
    expect(app.boxes).toMatchObject([
      { message: texts.trustTitle(home.workspace), defaultId: 1, cancelId: 1 },
    ]);
    expect(app.boxes[0]?.detail).toContain("tools/evil.ts");
    // A no is remembered, and the menu takes it back.
    expect(settingsOf(home.userData).declined ?? []).toEqual(trusted ? [] : [home.workspace]);
    expect(menuItem(app.menu(), texts.trustAfterAll) === undefined).toBe(trusted);
    const parts = { command, environment, timer: systemTimer };
    expect(await runCommand(parts, ["trust", "--check", "--json", home.workspace])).toMatchObject({
      trusted,
    });
  });

  test("a folder that has a workspace already is not overwritten, and the person chooses again", async () => {
    using home = desktopHome();
    const first = [texts.newWorkspace, texts.ok, texts.openWorkspace];
    await using app = startApp({
      userData: home.userData,
      answer: () => first.shift() ?? texts.quit,
      folder: () => home.workspace,
    });
    await app.ran;
    expect(app.boxes[1]?.message).toBe(texts.newFailed(home.workspace));
    expect(app.page().hash).toStartWith("#open=");
  });

  test("closing the window keeps the server, and starting the app again shows the window", async () => {
    await using opened = await openedApp();
    const { app } = opened;
    expect(app.window().emit("close")).toBe(true);
    expect(app.window().visible).toBe(false);
    expect(await answersAt(app.page().origin)).toBe(true);
    app.app.emit("second-instance", ["argosy"]);
    expect(app.window().visible).toBe(true);
  });
});

describe("a server that fails", () => {
  test("killed: the dialog offers a restart, and the restart works", async () => {
    const crashed = Promise.withResolvers<MessageBox>();
    const restart = Promise.withResolvers<string>();
    await using opened = await openedApp({
      answer: (box) => {
        crashed.resolve(box);
        return restart.promise;
      },
    });
    const { app, home } = opened;
    const before = app.page().origin;
    process.kill(await serverProcess(home.workspace), "SIGKILL");
    const box = await crashed.promise;
    expect(box.message).toBe(texts.crashed);
    expect(box.detail).toContain("signal SIGKILL");
    expect(box.buttons).toEqual([texts.restart, texts.otherWorkspace, texts.showLog, texts.quit]);
    expect(await answersAt(before)).toBe(false);
    restart.resolve(texts.restart);
    await app.until(() => app.page().origin !== before);
    expect(await answersAt(app.page().origin)).toBe(true);
    expect(app.page().hash).toStartWith("#open=");
  });

  test("that does not start: the reason is shown, with the log, another workspace, or the end", async () => {
    using home = desktopHome();
    remember(home.userData, { recent: [home.path] });
    await Bun.write(join(home.path, "runtime.yaml"), "spec: { servces: {} }\n");
    const choices: string[] = [texts.showLog, texts.restart, texts.otherWorkspace];
    await using app = startApp({
      userData: home.userData,
      answer: () => choices.shift() ?? texts.quit,
      folder: () => home.workspace,
    });
    await app.ran;
    expect(app.boxes.map(({ message }) => message)).toEqual(new Array(3).fill(texts.notStarted(home.path)));
    expect(app.boxes[0]?.detail).toContain("servces");
    expect(app.opened).toEqual([join(home.userData, "logs/server.log")]);
    expect(settingsOf(home.userData).recent[0]).toBe(home.workspace);
  });
});

/** Returns the id of the server process that has the workspace's data folder. */
async function serverProcess(workspace: string): Promise<number> {
  return Number(await Bun.file(join(workspace, ".argosy/pid")).text());
}

describe("deep links", () => {
  test("one among the arguments opens its page at the start", async () => {
    using home = desktopHome();
    remember(home.userData, { recent: [home.workspace] });
    await using app = startApp({ userData: home.userData }, { argv: ["argosy", "argosy://agents/support"] });
    await app.ran;
    expect(app.page().pathname).toBe("/studio/agents/support");
    expect(app.page().hash).toStartWith("#open=");
  });

  test("later ones open their page; others only show the window", async () => {
    await using opened = await openedApp();
    const { app } = opened;
    app.app.emit("second-instance", ["argosy", "argosy://approvals"]);
    expect(app.page().pathname).toBe("/studio/approvals");
    app.app.emit("open-url", "argosy://models");
    expect(app.page().pathname).toBe("/studio/models");
    const loaded = app.window().loaded.length;
    app.app.emit("open-url", "argosy://evil.example/x");
    expect(app.window().loaded).toHaveLength(loaded);
  });
});

describe("security checklist", () => {
  test("pages run isolated, in a sandbox, without Node and without a stored cookie", async () => {
    await using opened = await openedApp();
    const { options } = opened.app.window();
    expect(options.webPreferences).toEqual({
      preload: "/app/preload.cjs",
      contextIsolation: true,
      sandbox: true,
      nodeIntegration: false,
      nodeIntegrationInWorker: false,
      nodeIntegrationInSubFrames: false,
      webSecurity: true,
      webviewTag: false,
      navigateOnDragDrop: false,
      spellcheck: false,
      partition: "argosy",
    });
  });

  test("pages stay at the server's origin: navigation, windows, webviews, requests, permissions, messages", async () => {
    await using opened = await openedApp();
    const { app } = opened;
    const { origin, host, port } = app.page();
    const { webContents } = app.window();
    const foreign = [
      "https://evil.example/",
      `http://127.0.0.1:${Number(port) === 1 ? 2 : 1}/`,
      `http://127.0.0.1.evil.example:${port}/`,
      `http://localhost:${port}/`,
      "file:///etc/passwd",
      "javascript:alert(1)",
    ];
    for (const url of foreign) {
      expect([url, webContents.emit("will-navigate", url)]).toEqual([url, true]);
      expect([url, webContents.emit("will-redirect", url)]).toEqual([url, true]);
      expect(webContents.openWindow({ url })).toEqual({ action: "deny" });
      expect([url, webContents.session.cancels(url)]).toEqual([url, true]);
    }
    // Only what a browser or a mail program opens leaves the app.
    expect(new Set(app.external)).toEqual(new Set(foreign.filter((url) => url.startsWith("http"))));
    expect(webContents.emit("will-navigate", `${origin}/studio`)).toBe(false);
    expect(webContents.openWindow({ url: `${origin}/docs` })).toEqual({ action: "deny" });
    expect(app.page().pathname).toBe("/docs");
    expect(webContents.emit("will-attach-webview")).toBe(true);
    expect(webContents.session.cancels(`${origin}/studio`)).toBe(false);
    expect(webContents.session.cancels(`ws://${host}/v1/runs`)).toBe(false);
    expect(webContents.session.cancels("ws://evil.example/")).toBe(true);

    const { session } = webContents;
    const allows = (permission: string, requestingUrl: string) => {
      const answers: boolean[] = [];
      session.request?.(webContents as never, permission, (answer) => answers.push(answer), {
        requestingUrl,
      });
      return answers.at(-1);
    };
    expect(allows("clipboard-sanitized-write", `${origin}/studio`)).toBe(true);
    expect(allows("clipboard-sanitized-write", "https://evil.example/")).toBe(false);
    for (const permission of ["media", "geolocation", "notifications", "openExternal", "clipboard-read"]) {
      expect(allows(permission, `${origin}/studio`)).toBe(false);
      expect(session.check?.(null, permission, origin)).toBe(false);
    }
    expect(session.check?.(null, "clipboard-sanitized-write", origin)).toBe(true);
    expect(session.device?.()).toBe(false);

    const info = app.handlers.get("argosy:info");
    expect([...app.handlers.keys()]).toEqual(["argosy:info"]);
    expect(info?.({ senderFrame: { url: `${origin}/studio`, parent: null } })).toMatchObject({
      version: "9.9.9",
      platform: "linux",
    });
    for (const senderFrame of [
      null,
      { url: "https://evil.example/", parent: null },
      { url: `${origin}/studio`, parent: {} },
    ])
      expect(() => info?.({ senderFrame })).toThrow("own page");
  });

  test("the page has a strict policy", async () => {
    await using opened = await openedApp();
    const page = await fetch(opened.app.page());
    const policy = page.headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain("unsafe");
  });
});

describe("menus and settings", () => {
  test("the menu opens another workspace in place of the first, and lists recent ones", async () => {
    const other = desktopHome();
    await using opened = await openedApp({ folder: () => other.workspace });
    const { app, home } = opened;
    const before = app.page().origin;
    menuItem(app.menu(), texts.openWorkspace)?.click?.();
    await app.until(() => app.page().origin !== before);
    expect(await answersAt(before)).toBe(false);
    expect(menuItem(app.menu(), texts.recent)?.submenu?.map(({ label }) => label)).toEqual([
      other.workspace,
      home.workspace,
    ]);
    const second = app.page().origin;
    menuItem(app.tray(), home.workspace)?.click?.();
    await app.until(() => app.page().origin !== second);
    expect(settingsOf(home.userData).recent).toEqual([home.workspace, other.workspace]);
    other[Symbol.dispose]();
  });

  test("opening at login is an entry of the autostart folder, started without the window", async () => {
    await using opened = await openedApp();
    const { app, home } = opened;
    const entry = join(home.userData, "home/.config/autostart/argosy.desktop");
    expect(menuItem(app.menu(), texts.openAtLogin)?.checked).toBe(false);
    menuItem(app.menu(), texts.openAtLogin)?.click?.();
    expect(menuItem(app.menu(), texts.openAtLogin)?.checked).toBe(true);
    expect(readFileSync(entry, "utf8")).toContain(`Exec="${home.userData}/exe" --hidden\n`);
    menuItem(app.menu(), texts.openAtLogin)?.click?.();
    expect(existsSync(entry)).toBe(false);
  });

  test("--hidden starts without a visible window", async () => {
    using home = desktopHome();
    remember(home.userData, { recent: [home.workspace] });
    await using app = startApp({ userData: home.userData }, { argv: ["argosy", "--hidden"] });
    await app.ran;
    expect(app.window().visible).toBe(false);
  });

  test("the window comes back where it was, unless no display shows that place", async () => {
    const window = { x: 300, y: 200, width: 800, height: 600, maximized: false };
    {
      await using opened = await openedApp({}, { window });
      expect(opened.app.window().options).toMatchObject({ x: 300, y: 200, width: 800, height: 600 });
      opened.app.window().emit("close");
      expect(settingsOf(opened.home.userData).window).toEqual({
        x: 10,
        y: 20,
        width: 900,
        height: 700,
        maximized: false,
      });
    }
    await using far = await openedApp({ workArea: { x: 5000, y: 0, width: 800, height: 600 } }, { window });
    expect(far.app.window().options).toMatchObject({ width: 1280, height: 860 });
    expect(far.app.window().options.x).toBeUndefined();
  });

  test("damaged settings count as none", async () => {
    using home = desktopHome();
    await Bun.write(
      join(home.userData, "settings.json"),
      '{"recent": [1, {}], "window": "no", "variables": {}}',
    );
    const app = startApp({ userData: home.userData, answer: () => texts.quit });
    await app.ran;
    expect(app.boxes[0]?.message).toBe(texts.firstTitle);
    await app.until(() => app.quits() > 0);
  });
});
