import type {
  BrowserSession,
  ElectronApi,
  Frame,
  MenuItem,
  MessageBox,
  WebContents,
  WindowOptions,
} from "../../../desktop/src/electron-api.ts";

type Listener = (...args: never[]) => void;

/** Calls the listeners of events, as Electron would. */
class Emitter {
  readonly #listeners = new Map<string, Listener[]>();

  on(event: string, listener: Listener): void {
    this.#listeners.set(event, [...(this.#listeners.get(event) ?? []), listener]);
  }

  /** Returns true if a listener prevented the default. */
  emit(event: string, ...args: unknown[]): boolean {
    let prevented = false;
    const preventable = {
      preventDefault: () => {
        prevented = true;
      },
    };
    for (const listener of this.#listeners.get(event) ?? []) listener(...([preventable, ...args] as never[]));
    return prevented;
  }
}

/** A page's session, with what the app has set. */
export class FakeSession {
  request: Parameters<BrowserSession["setPermissionRequestHandler"]>[0] | undefined;
  check: Parameters<BrowserSession["setPermissionCheckHandler"]>[0] | undefined;
  device: (() => boolean) | undefined;
  before: Parameters<BrowserSession["webRequest"]["onBeforeRequest"]>[0] | undefined;
  readonly webRequest = {
    onBeforeRequest: (listener: NonNullable<FakeSession["before"]>) => {
      this.before = listener;
    },
  };
  setPermissionRequestHandler(handler: NonNullable<FakeSession["request"]>) {
    this.request = handler;
  }
  setPermissionCheckHandler(handler: NonNullable<FakeSession["check"]>) {
    this.check = handler;
  }
  setDevicePermissionHandler(handler: () => boolean) {
    this.device = handler;
  }
  cancels(url: string): boolean | undefined {
    let cancelled: boolean | undefined;
    this.before?.({ url }, ({ cancel }) => {
      cancelled = cancel;
    });
    return cancelled;
  }
}

export class FakeContents extends Emitter {
  readonly session = new FakeSession();
  readonly navigationHistory = { goBack() {}, goForward() {} };
  openWindow: (details: { url: string }) => { action: string } = () => ({ action: "allow" });
  setWindowOpenHandler(handler: FakeContents["openWindow"]) {
    this.openWindow = handler;
  }
}

export class FakeWindow extends Emitter {
  readonly webContents = new FakeContents();
  readonly loaded: string[] = [];
  readonly options: WindowOptions;
  visible: boolean;
  bounds = { x: 10, y: 20, width: 900, height: 700 };
  readonly #told: () => void;

  constructor(options: WindowOptions, told: () => void) {
    super();
    this.options = options;
    this.visible = options.show;
    this.#told = told;
  }
  async loadURL(url: string) {
    this.loaded.push(url);
    this.#told();
  }
  show() {
    this.visible = true;
  }
  hide() {
    this.visible = false;
  }
  focus() {}
  restore() {}
  maximize() {}
  isMinimized = () => false;
  isMaximized = () => false;
  isDestroyed = () => false;
  getNormalBounds = () => this.bounds;
}

export interface FakeElectronOptions {
  userData: string;
  locked?: boolean;
  /** Answers a message box with the text of one of its buttons; asked again for each box. */
  answer?: (box: MessageBox) => string | Promise<string>;
  /** The folder that the person chooses; undefined: cancels. */
  folder?: () => string | undefined;
  workArea?: { x: number; y: number; width: number; height: number };
}

/** Stands in for Electron: records what the app does, and plays the person and the system. */
export function fakeElectron(options: FakeElectronOptions) {
  const app = new Emitter();
  const windows: FakeWindow[] = [];
  const boxes: MessageBox[] = [];
  const external: string[] = [];
  const notices: { title: string; body: string; click: () => void }[] = [];
  const handlers = new Map<string, (event: { senderFrame: Frame | null }) => unknown>();
  const opened: string[] = [];
  const copied: string[] = [];
  const waiting = new Set<() => void>();
  let menu: MenuItem[] = [];
  let trayItems: MenuItem[] = [];
  let quits = 0;
  let badge = 0;
  let login = { openAtLogin: false, args: [] as string[] };
  const schemes: string[] = [];
  const told = () => {
    for (const look of [...waiting]) look();
  };
  const api = {
    app: Object.assign(app, {
      isPackaged: true,
      getPath: (name: string) => (name === "userData" ? options.userData : `${options.userData}/${name}`),
      getVersion: () => "9.9.9",
      requestSingleInstanceLock: () => options.locked !== true,
      setAsDefaultProtocolClient: (scheme: string) => schemes.push(scheme) > 0,
      getLoginItemSettings: () => login,
      setLoginItemSettings: (settings: typeof login) => {
        login = settings;
      },
      setBadgeCount: (count: number) => {
        badge = count;
        return true;
      },
      whenReady: async () => {},
      // As Electron: a listener may prevent it; then the windows close, and the app ends.
      quit: () => {
        if (!app.emit("before-quit")) quits += 1;
        told();
      },
    }),
    BrowserWindow: class extends FakeWindow {
      constructor(given: WindowOptions) {
        super(given, told);
        windows.push(this);
        app.emit("web-contents-created", this.webContents as unknown as WebContents);
      }
    },
    Menu: {
      buildFromTemplate: (items: MenuItem[]) => items,
      setApplicationMenu: (items: MenuItem[]) => {
        menu = items;
      },
    },
    Tray: class {
      tip = "";
      setToolTip(text: string) {
        this.tip = text;
      }
      setContextMenu(items: MenuItem[]) {
        trayItems = items;
        told();
      }
      on() {}
    },
    Notification: class {
      static isSupported = () => true;
      #click = () => {};
      readonly #content: { title: string; body: string };
      constructor(content: { title: string; body: string }) {
        this.#content = content;
      }
      on(_: "click", listener: () => void) {
        this.#click = listener;
      }
      show() {
        notices.push({ ...this.#content, click: this.#click });
        told();
      }
    },
    dialog: {
      async showMessageBox(box: MessageBox) {
        boxes.push(box);
        told();
        const text = await (options.answer?.(box) ?? box.buttons.at(-1) ?? "");
        const response = box.buttons.indexOf(text);
        if (response < 0) throw new Error(`${text} is not a button of: ${box.message} ${box.buttons}`);
        return { response };
      },
      async showOpenDialog() {
        const folder = options.folder?.();
        return folder === undefined
          ? { canceled: true, filePaths: [] }
          : { canceled: false, filePaths: [folder] };
      },
    },
    ipcMain: {
      handle: (channel: string, listener: (event: { senderFrame: Frame | null }) => unknown) =>
        void handlers.set(channel, listener),
    },
    clipboard: { writeText: (text: string) => void copied.push(text) },
    screen: {
      getAllDisplays: () => [{ workArea: options.workArea ?? { x: 0, y: 0, width: 1920, height: 1080 } }],
    },
    shell: {
      openExternal: async (url: string) => void external.push(url),
      openPath: async (path: string) => {
        opened.push(path);
        return "";
      },
    },
  };
  return {
    api: api as unknown as ElectronApi,
    app,
    windows,
    boxes,
    external,
    notices,
    handlers,
    opened,
    copied,
    schemes,
    menu: () => menu,
    tray: () => trayItems,
    quits: () => quits,
    badge: () => badge,
    login: () => login,
    /** Resolves once `condition` holds; looked at whenever the app has done something. */
    until: (condition: () => boolean) =>
      new Promise<void>((resolve) => {
        const look = () => {
          if (!condition()) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
  };
}

/** Returns the item with that label, at any depth. */
export function menuItem(items: readonly MenuItem[], label: string): MenuItem | undefined {
  for (const item of items) {
    const found = item.label === label ? item : menuItem(item.submenu ?? [], label);
    if (found !== undefined) return found;
  }
  return undefined;
}
