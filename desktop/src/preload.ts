import { contextBridge, ipcRenderer } from "electron";

// All that a page of the console gets from the app: which app it is in. Nothing of Node or Electron itself.
contextBridge.exposeInMainWorld("desktop", { info: () => ipcRenderer.invoke("argosy:info") });
