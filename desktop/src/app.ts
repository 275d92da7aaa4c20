import { existsSync } from "node:fs";
import { join } from "node:path";
import { announceCalls, watchApprovals } from "./approval-watch.ts";
import { openConsoleWindow } from "./console-window.ts";
import { approvalsPath, pathInArguments, pathOfDeepLink, scheme } from "./deep-links.ts";
import type { ElectronApi, MessageBox } from "./electron-api.ts";
import { createGuards } from "./guards.ts";
import { createLoginItem, hiddenFlag } from "./login-item.ts";
import { applicationMenu, type MenuParts, trayMenu } from "./menus.ts";
import { serverOpener } from "./open-server.ts";
import { openSettings, withRecent } from "./settings.ts";
import { describe, minimalEnvironment, newKey, runCommand, type Sidecar, type Timer } from "./sidecar.ts";
import { texts } from "./texts.ts";
import { type Updater, watchUpdates } from "./updates.ts";

export interface AppOptions {
  /** The executable `argosy`, with arguments that come first if it is run from source. */
  command: readonly [string, ...string[]];
  argv: readonly string[];
  environment: Readonly<Record<string, string | undefined>>;
  platform: NodeJS.Platform;
  /** Path of the compiled preload script. */
  preload: string;
  icon: string;
  trayIcon: string;
  timer: Timer;
  /** Undefined if the app was packaged without an update feed. */
  updater?: Updater;
}

/** The port of a server that other apps use: the one in the guides. */
const sharedPort = 8000;

/** A workspace with its running server. */
interface Opened {
  workspace: string;
  sidecar: Sidecar;
  stopWatching: () => void;
}

/**
 * Runs the desktop app: one window with the console of one workspace's server, which ends with the app. Resolves when the first workspace
 * is open, or the person has decided otherwise. A second instance passes its arguments to the first and quits.
 */
export async function run(api: ElectronApi, options: AppOptions): Promise<void> {
  const { app, dialog, shell } = api;
  const { command, argv, platform, timer, updater } = options;
  if (!app.requestSingleInstanceLock()) return app.quit();
  const userData = app.getPath("userData");
  const settings = openSettings(join(userData, "settings.json"));
  const logFile = join(userData, "logs", "server.log");
  const loginItem = createLoginItem({ app, platform, environment: options.environment });
  let opened: Opened | undefined;
  let waiting = 0;
  let pendingPath = pathInArguments(argv);
  let phase: "running" | "stopping" | "stopped" = "running";
  const quitting = new AbortController();
  let lastStep: Promise<unknown> = Promise.resolve();
  const openServer = serverOpener({
    ...options,
    logFile,
    signal: quitting.signal,
    settings: settings.read,
    askTrust,
  });

  // Without a package, the system would start Electron itself.
  if (app.isPackaged) app.setAsDefaultProtocolClient(scheme);
  const guards = createGuards({
    origin: () => opened?.sidecar.origin,
    open: (url) => void view?.load(url),
    shell,
  });
  app.on("web-contents-created", (_, contents) => guards.restrict(contents));
  app.on("second-instance", (_, args) => show(pathInArguments(args)));
  app.on("open-url", (event, url) => {
    event.preventDefault();
    show(pathOfDeepLink(url));
  });
  app.on("activate", () => show());
  // The tray keeps the app; on Linux and Windows, Electron would quit.
  app.on("window-all-closed", () => undefined);
  app.on("before-quit", (event) => {
    if (phase === "stopped") return;
    event.preventDefault();
    void stopEverything().then(() => app.quit());
  });
  api.ipcMain.handle("argosy:info", ({ senderFrame }) => {
    guards.requireOwnPage(senderFrame);
    return { version: app.getVersion(), platform, workspace: opened?.workspace };
  });

  let view: ReturnType<typeof openConsoleWindow> | undefined;
  await app.whenReady();
  view = openConsoleWindow({
    api,
    settings,
    preload: options.preload,
    icon: options.icon,
    title: texts.name,
    hidden: argv.includes(hiddenFlag),
    isQuitting: () => phase !== "running",
    onPageGone: () => void showConsole(),
  });
  const tray = new api.Tray(options.trayIcon);
  tray.on("click", () => show());
  const checkForUpdates = updater && watchUpdates({ updater, dialog, timer, beforeInstall: stopEverything });
  refreshMenus();

  const [last] = settings.read().recent;
  if (last !== undefined && existsSync(last)) await open(last);
  else await welcome();

  /** Shows the window, and a page of the console if one is named. */
  function show(path?: string): void {
    view?.show();
    if (path === undefined) return;
    if (opened === undefined) pendingPath = path;
    else void view?.load(`${opened.sidecar.origin}${path}`);
  }

  /** Signs the window in with a one-time link, and shows the page that was asked for. */
  async function showConsole(): Promise<void> {
    if (opened === undefined) return;
    const { sidecar } = opened;
    try {
      const link = new URL(await sidecar.link());
      if (pendingPath !== undefined) link.pathname = pendingPath;
      pendingPath = undefined;
      await view?.load(link.href);
    } catch (thrown) {
      // A server that has ended is reported by its own dialog.
      if (opened?.sidecar === sidecar) await say(describe(thrown));
    }
  }

  /** Opens a workspace in place of the open one. */
  async function open(workspace: string): Promise<void> {
    try {
      await oneByOne(() => start(workspace));
    } catch (thrown) {
      const { message, detail } = describe(thrown);
      const reasons = [message, detail].filter(Boolean).join("\n");
      return decide({ type: "error", message: texts.notStarted(workspace), detail: reasons }, workspace);
    }
    await showConsole();
  }

  async function start(workspace: string): Promise<void> {
    await close();
    if (phase !== "running") return;
    const sidecar = await openServer(workspace);
    if (sidecar === undefined) return;
    const stopWatching = watchApprovals({ list: sidecar.waiting, timer, told: tellApprovals });
    opened = { workspace, sidecar, stopWatching };
    settings.change({ recent: withRecent(settings.read().recent, workspace) });
    refreshMenus();
    void sidecar.ended.then(({ wanted, how }) => (wanted ? undefined : crashed(sidecar, how)));
  }

  /** Asks whether these programs may run; a no is remembered. */
  async function askTrust(workspace: string, programs: readonly string[]): Promise<boolean> {
    const choice = await ask({
      type: "warning",
      message: texts.trustTitle(workspace),
      detail: texts.trustText(programs),
      buttons: [texts.trust, texts.openWithout],
      defaultId: 1,
    });
    if (choice !== 0) settings.change({ declined: [...settings.read().declined, workspace] });
    return choice === 0;
  }

  /** Asks again about a workspace that opened without its programs. */
  function trustAfterAll(): void {
    const workspace = opened?.workspace;
    if (workspace === undefined) return;
    settings.change({ declined: settings.read().declined.filter((other) => other !== workspace) });
    void open(workspace);
  }

  /** Fixes the port and the key of the server, or lets them change at each start again. */
  function setShared(shared: boolean): void {
    settings.change({ server: shared ? { port: sharedPort, key: newKey() } : undefined });
    refreshMenus();
    const [workspace] = settings.read().recent;
    if (workspace !== undefined) void open(workspace);
  }

  function copyAccess(): void {
    const { server } = settings.read();
    if (server !== undefined)
      api.clipboard.writeText(texts.access(`http://127.0.0.1:${server.port}`, server.key));
  }

  async function close(): Promise<void> {
    const closing = opened;
    opened = undefined;
    waiting = 0;
    closing?.stopWatching();
    await closing?.sidecar.stop();
  }

  async function crashed(sidecar: Sidecar, how: string): Promise<void> {
    if (opened?.sidecar !== sidecar) return;
    const { workspace } = opened;
    opened.stopWatching();
    opened = undefined;
    const detail = texts.crashedDetail(how, workspace);
    await decide({ type: "error", message: texts.crashed, detail }, workspace);
  }

  /** Asks what to do without a server, until the answer leads to one or to the end. */
  async function decide(
    box: Pick<MessageBox, "type" | "message" | "detail">,
    workspace: string,
  ): Promise<void> {
    while (phase === "running" && opened === undefined) {
      const buttons = [texts.restart, texts.otherWorkspace, texts.showLog, texts.quit];
      const choice = await ask({ ...box, buttons });
      // Meanwhile, the menu may have opened another workspace.
      if (opened !== undefined) return;
      if (choice === 0) return open(workspace);
      if (choice === 1 && (await openChosen())) return;
      if (choice === 2) await showLog();
      if (choice === 3) return app.quit();
    }
  }

  async function welcome(): Promise<void> {
    while (phase === "running" && opened === undefined) {
      const buttons = [texts.newWorkspace, texts.openWorkspace, texts.quit];
      const choice = await ask({
        type: "question",
        message: texts.firstTitle,
        detail: texts.firstText,
        buttons,
      });
      if (choice === 2) return app.quit();
      if (choice === 0 ? await openNew() : await openChosen()) return;
    }
  }

  async function chooseFolder(title: string, buttonLabel: string): Promise<string | undefined> {
    const { canceled, filePaths } = await dialog.showOpenDialog({
      title,
      buttonLabel,
      properties: ["openDirectory", "createDirectory"],
    });
    return canceled ? undefined : filePaths[0];
  }

  /** Returns false if no folder was chosen. */
  async function openChosen(): Promise<boolean> {
    const folder = await chooseFolder(texts.openTitle, texts.openAction);
    if (folder === undefined) return false;
    await open(folder);
    return true;
  }

  /** Creates a workspace with a sample agent, and opens it. Returns false if none was created. */
  async function openNew(): Promise<boolean> {
    const folder = await chooseFolder(texts.newTitle, texts.newAction);
    if (folder === undefined) return false;
    try {
      const environment = minimalEnvironment(options.environment, []);
      await runCommand({ command, environment, timer }, ["init", "--json", folder]);
    } catch (thrown) {
      const { message, detail } = describe(thrown);
      await say({
        message: texts.newFailed(folder),
        detail: [message, detail].filter(Boolean).join("\n"),
      });
      return false;
    }
    await open(folder);
    return true;
  }

  function tellApprovals(
    calls: readonly { id: string }[],
    fresh: readonly { agent: string; tool: string }[],
  ): void {
    if (calls.length !== waiting) {
      waiting = calls.length;
      app.setBadgeCount(waiting);
      refreshMenus();
    }
    announceCalls(api.Notification, fresh, () => show(approvalsPath));
  }

  function refreshMenus(): void {
    const parts: MenuParts = {
      isMac: platform === "darwin",
      isPackaged: app.isPackaged,
      recent: settings.read().recent,
      waiting,
      opensAtLogin: loginItem.isOn(),
      hasUpdates: checkForUpdates !== undefined,
      isOwn: opened?.sidecar.isOwn !== false,
      isShared: settings.read().server !== undefined,
      isDeclined: opened !== undefined && settings.read().declined.includes(opened.workspace),
      show: (page) => show(page === "approvals" ? approvalsPath : undefined),
      back: () => view?.window.webContents.navigationHistory.goBack(),
      forward: () => view?.window.webContents.navigationHistory.goForward(),
      openWorkspace: () => void openChosen(),
      newWorkspace: () => void openNew(),
      openRecent: (workspace) => void open(workspace),
      setOpenAtLogin(opens) {
        loginItem.set(opens);
        refreshMenus();
      },
      setShared,
      copyAccess,
      trustAfterAll,
      checkForUpdates: () => void checkForUpdates?.(),
      showLog: () => void showLog(),
      quit: () => app.quit(),
    };
    // Electron's type of a built menu is opaque here: what one method builds, the other shows.
    api.Menu.setApplicationMenu(api.Menu.buildFromTemplate(applicationMenu(parts)) as never);
    tray.setContextMenu(api.Menu.buildFromTemplate(trayMenu(parts)) as never);
    tray.setToolTip(texts.tip(opened?.workspace ?? "", waiting));
  }

  async function showLog(): Promise<void> {
    const fault = await shell.openPath(logFile);
    if (fault !== "") await say({ message: fault, detail: logFile });
  }

  async function stopEverything(): Promise<void> {
    if (phase === "running") {
      phase = "stopping";
      quitting.abort();
      view?.remember();
    }
    await oneByOne(close);
    phase = "stopped";
  }

  /** Runs starts and stops of servers one after the other. */
  function oneByOne(step: () => Promise<void>): Promise<void> {
    const next = lastStep.then(step);
    lastStep = next.catch(() => undefined);
    return next;
  }

  async function ask(
    box: Pick<MessageBox, "type" | "message" | "detail" | "buttons"> & { defaultId?: number },
  ): Promise<number> {
    const { response } = await dialog.showMessageBox({
      defaultId: 0,
      ...box,
      title: texts.name,
      cancelId: box.buttons.length - 1,
      noLink: true,
    });
    return response;
  }

  function say(fault: { message: string; detail?: string }): Promise<number> {
    return ask({ type: "error", ...fault, buttons: [texts.ok] });
  }
}
