import type { MenuItem } from "./electron-api.ts";
import { texts } from "./texts.ts";

/** Entries of the menus, with their actions. */
export interface MenuParts {
  isMac: boolean;
  isPackaged: boolean;
  recent: readonly string[];
  waiting: number;
  opensAtLogin: boolean;
  hasUpdates: boolean;
  /** False if another program serves the workspace: its port and key are not the app's. */
  isOwn: boolean;
  /** True if other apps may use the server: its port and key are fixed. */
  isShared: boolean;
  /** True if the programs of the open workspace do not run. */
  isDeclined: boolean;
  show(path?: string): void;
  back(): void;
  forward(): void;
  openWorkspace(): void;
  newWorkspace(): void;
  openRecent(workspace: string): void;
  setOpenAtLogin(opens: boolean): void;
  setShared(shared: boolean): void;
  copyAccess(): void;
  trustAfterAll(): void;
  checkForUpdates(): void;
  showLog(): void;
  quit(): void;
}

const line: MenuItem = { type: "separator" };

/** The menu of the application. */
export function applicationMenu(parts: MenuParts): MenuItem[] {
  const settings: MenuItem[] = [
    {
      label: texts.openAtLogin,
      type: "checkbox",
      checked: parts.opensAtLogin,
      click: () => parts.setOpenAtLogin(!parts.opensAtLogin),
    },
    ...(parts.hasUpdates ? [{ label: texts.checkForUpdates, click: parts.checkForUpdates }] : []),
  ];
  const quit: MenuItem = { label: texts.quit, accelerator: "CmdOrCtrl+Q", click: parts.quit };
  const application: MenuItem = {
    label: texts.name,
    submenu: [{ role: "about" }, line, ...settings, line, { role: "hide" }, quit],
  };
  const file: MenuItem = {
    label: texts.file,
    submenu: [
      { label: texts.newWorkspace, accelerator: "CmdOrCtrl+Shift+N", click: parts.newWorkspace },
      { label: texts.openWorkspace, accelerator: "CmdOrCtrl+O", click: parts.openWorkspace },
      recentMenu(parts),
      ...(parts.isDeclined ? [{ label: texts.trustAfterAll, click: parts.trustAfterAll }] : []),
      line,
      {
        label: texts.share,
        type: "checkbox",
        checked: parts.isShared,
        enabled: parts.isOwn,
        click: () => parts.setShared(!parts.isShared),
      },
      { label: texts.copyAccess, enabled: parts.isOwn && parts.isShared, click: parts.copyAccess },
      ...(parts.isMac ? [] : [line, ...settings, line, quit]),
    ],
  };
  const view: MenuItem = {
    label: texts.view,
    submenu: [
      { label: texts.back, accelerator: "CmdOrCtrl+[", click: parts.back },
      { label: texts.forward, accelerator: "CmdOrCtrl+]", click: parts.forward },
      { role: "reload" },
      line,
      { role: "resetZoom" },
      { role: "zoomIn" },
      { role: "zoomOut" },
      { role: "togglefullscreen" },
      ...(parts.isPackaged ? [] : [line, { role: "toggleDevTools" } as const]),
    ],
  };
  const help: MenuItem = {
    label: texts.help,
    submenu: [
      { label: texts.showLog, click: parts.showLog },
      ...(parts.isMac ? [] : [{ role: "about" } as const]),
    ],
  };
  return [
    ...(parts.isMac ? [application] : []),
    file,
    { role: "editMenu" },
    view,
    { role: "windowMenu" },
    help,
  ];
}

/** The menu of the icon in the system's tray. */
export const trayMenu = (parts: MenuParts): MenuItem[] => [
  { label: texts.show, click: () => parts.show() },
  { label: texts.waiting(parts.waiting), enabled: parts.waiting > 0, click: () => parts.show("approvals") },
  recentMenu(parts),
  line,
  { label: texts.quit, click: parts.quit },
];

const recentMenu = ({ recent, openRecent }: MenuParts): MenuItem => ({
  label: texts.recent,
  enabled: recent.length > 0,
  submenu: recent.map((workspace) => ({ label: workspace, click: () => openRecent(workspace) })),
});
