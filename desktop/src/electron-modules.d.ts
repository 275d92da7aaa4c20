/*
 * Stands in for the types of `electron` and `electron-updater`, which the project's own install lacks. desktop/tsconfig.json leaves this
 * file out and checks the app against the real ones.
 */
declare module "electron" {
  type Api = import("./electron-api.ts").ElectronApi;
  export const app: Omit<Api["app"], "getPath"> & {
    exit(code: number): void;
    getPath(name: "userData" | "home" | "exe" | "appData"): string;
    setPath(name: "userData", path: string): void;
  };
  export const clipboard: Api["clipboard"];
  export const BrowserWindow: Api["BrowserWindow"];
  export const Menu: Api["Menu"];
  export const Tray: Api["Tray"];
  export const Notification: Api["Notification"];
  export const dialog: Api["dialog"] & { showErrorBox(title: string, content: string): void };
  export const ipcMain: Api["ipcMain"];
  export const screen: Api["screen"];
  export const shell: Api["shell"];
  export const contextBridge: { exposeInMainWorld(name: string, value: object): void };
  export const ipcRenderer: { invoke(channel: string): Promise<unknown> };
}

declare module "electron-updater" {
  const updater: { autoUpdater: import("./updates.ts").Updater };
  export default updater;
}
