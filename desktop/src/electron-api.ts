/*
 * The parts of Electron that the app uses. Electron is an argument, so that tests pass their own and need no binary.
 * `npm run types` in desktop/ checks that Electron's own types fit.
 */

export interface Bounds {
  x: number;
  y: number;
  width: number;
  height: number;
}

interface Preventable {
  preventDefault(): void;
}

export interface Frame {
  readonly url: string;
  readonly parent: unknown;
}

export interface WebContents {
  readonly session: BrowserSession;
  readonly navigationHistory: { goBack(): void; goForward(): void };
  setWindowOpenHandler(handler: (details: { url: string }) => { action: "deny" }): void;
  on(event: "will-navigate" | "will-redirect", listener: (event: Preventable, url: string) => void): unknown;
  on(event: "will-attach-webview", listener: (event: Preventable) => void): unknown;
  on(event: "render-process-gone", listener: () => void): unknown;
}

export interface BrowserSession {
  setPermissionRequestHandler(
    handler: (
      contents: WebContents,
      permission: string,
      answer: (allowed: boolean) => void,
      details: { requestingUrl?: string },
    ) => void,
  ): void;
  setPermissionCheckHandler(
    handler: (contents: WebContents | null, permission: string, origin: string) => boolean,
  ): void;
  setDevicePermissionHandler(handler: () => boolean): void;
  readonly webRequest: {
    onBeforeRequest(
      listener: (details: { url: string }, answer: (response: { cancel: boolean }) => void) => void,
    ): void;
  };
}

/** Options of a window; the security settings are required. */
export interface WindowOptions extends Partial<Bounds> {
  minWidth: number;
  minHeight: number;
  show: boolean;
  title: string;
  icon: string;
  backgroundColor: string;
  webPreferences: {
    preload: string;
    contextIsolation: true;
    sandbox: true;
    nodeIntegration: false;
    nodeIntegrationInWorker: false;
    nodeIntegrationInSubFrames: false;
    webSecurity: true;
    webviewTag: false;
    navigateOnDragDrop: false;
    spellcheck: false;
    /** Without the prefix `persist:`, so that no cookie reaches the disk. */
    partition: string;
  };
}

export interface BrowserWindow {
  readonly webContents: WebContents;
  loadURL(url: string): Promise<void>;
  show(): void;
  hide(): void;
  focus(): void;
  restore(): void;
  maximize(): void;
  isMinimized(): boolean;
  isMaximized(): boolean;
  isDestroyed(): boolean;
  getNormalBounds(): Bounds;
  on(event: "close", listener: (event: Preventable) => void): unknown;
}

export interface MenuItem {
  label?: string;
  role?:
    | "about"
    | "hide"
    | "quit"
    | "editMenu"
    | "windowMenu"
    | "reload"
    | "resetZoom"
    | "zoomIn"
    | "zoomOut"
    | "togglefullscreen"
    | "toggleDevTools";
  type?: "separator" | "checkbox";
  accelerator?: string;
  checked?: boolean;
  enabled?: boolean;
  submenu?: MenuItem[];
  click?: () => void;
}

export interface MessageBox {
  type: "error" | "warning" | "info" | "question";
  title: string;
  message: string;
  detail?: string;
  buttons: string[];
  defaultId: number;
  cancelId: number;
  noLink: true;
}

export interface Tray {
  setToolTip(text: string): void;
  setContextMenu(menu: never): void;
  on(event: "click", listener: () => void): unknown;
}

export interface ElectronApi {
  app: {
    readonly isPackaged: boolean;
    getPath(name: "userData" | "home" | "exe"): string;
    getVersion(): string;
    requestSingleInstanceLock(): boolean;
    setAsDefaultProtocolClient(protocol: string): boolean;
    getLoginItemSettings(): { openAtLogin: boolean };
    setLoginItemSettings(settings: { openAtLogin: boolean; args: string[] }): void;
    setBadgeCount(count: number): boolean;
    whenReady(): Promise<void>;
    quit(): void;
    on(event: "second-instance", listener: (event: Preventable, argv: string[]) => void): unknown;
    on(event: "open-url", listener: (event: Preventable, url: string) => void): unknown;
    on(event: "web-contents-created", listener: (event: Preventable, contents: WebContents) => void): unknown;
    on(event: "activate" | "window-all-closed", listener: () => void): unknown;
    on(event: "before-quit", listener: (event: Preventable) => void): unknown;
  };
  BrowserWindow: new (options: WindowOptions) => BrowserWindow;
  Menu: {
    buildFromTemplate(items: MenuItem[]): unknown;
    setApplicationMenu(menu: never): void;
  };
  Tray: new (icon: string) => Tray;
  Notification: {
    new (content: {
      title: string;
      body: string;
    }): { show(): void; on(event: "click", listener: () => void): unknown };
    isSupported(): boolean;
  };
  dialog: {
    showMessageBox(box: MessageBox): Promise<{ response: number }>;
    showOpenDialog(options: {
      title: string;
      buttonLabel: string;
      properties: ("openDirectory" | "createDirectory")[];
    }): Promise<{ canceled: boolean; filePaths: string[] }>;
  };
  ipcMain: {
    handle(channel: string, listener: (event: { senderFrame: Frame | null }) => unknown): void;
  };
  clipboard: { writeText(text: string): void };
  screen: { getAllDisplays(): { workArea: Bounds }[] };
  shell: { openExternal(url: string): Promise<void>; openPath(path: string): Promise<string> };
}
