import type { BrowserWindow, ElectronApi } from "./electron-api.ts";
import { type SettingsFile, visibleBounds } from "./settings.ts";

export interface ConsoleWindowOptions {
  api: Pick<ElectronApi, "BrowserWindow" | "screen">;
  settings: SettingsFile;
  /** Path of the compiled preload script. */
  preload: string;
  icon: string;
  title: string;
  hidden: boolean;
  /** True once the app is quitting, so that closing the window ends it; otherwise it hides. */
  isQuitting: () => boolean;
  /** Called when the page's process has crashed. */
  onPageGone: () => void;
}

export interface ConsoleWindow {
  window: BrowserWindow;
  show(): void;
  load(url: string): Promise<void>;
  /** Saves its place for the next start. */
  remember(): void;
}

/** Opens the window with the console's pages. They run in a sandbox, without Node. */
export function openConsoleWindow(options: ConsoleWindowOptions): ConsoleWindow {
  const { api, settings, preload, icon, title, hidden, isQuitting, onPageGone } = options;
  const saved = settings.read().window;
  const areas = api.screen.getAllDisplays().map(({ workArea }) => workArea);
  const window = new api.BrowserWindow({
    width: 1280,
    height: 860,
    ...visibleBounds(saved, areas),
    minWidth: 480,
    minHeight: 400,
    show: !hidden,
    title,
    icon,
    backgroundColor: "#ffffff",
    webPreferences: {
      preload,
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
    },
  });
  if (saved?.maximized && !hidden) window.maximize();
  const remember = () => {
    if (window.isDestroyed()) return;
    settings.change({ window: { ...window.getNormalBounds(), maximized: window.isMaximized() } });
  };
  window.on("close", (closing) => {
    remember();
    if (isQuitting()) return;
    closing.preventDefault();
    window.hide();
  });
  window.webContents.on("render-process-gone", onPageGone);
  return {
    window,
    remember,
    show() {
      if (window.isMinimized()) window.restore();
      window.show();
      window.focus();
    },
    // A page that replaces one still loading aborts it, which is not a fault.
    load: (url) => window.loadURL(url).catch(() => undefined),
  };
}
