import type { ElectronApi } from "./electron-api.ts";
import type { Timer } from "./sidecar.ts";
import { texts } from "./texts.ts";

/** The parts of electron-updater's `autoUpdater` that the app uses. */
export interface Updater {
  autoInstallOnAppQuit: boolean;
  checkForUpdates(): Promise<{ isUpdateAvailable: boolean } | null>;
  quitAndInstall(): void;
  on(event: "update-downloaded", listener: (update: { version: string }) => void): unknown;
  on(event: "error", listener: (fault: Error) => void): unknown;
}

export interface UpdatesOptions {
  updater: Updater;
  dialog: ElectronApi["dialog"];
  timer: Timer;
  /** Stops the server, so that no run is cut off by the installer. */
  beforeInstall: () => Promise<void>;
}

const everyMs = 24 * 3_600_000;

/** Looks for an update now and once a day, and offers each downloaded one. Returns the check that the menu asks for. */
export function watchUpdates({ updater, dialog, timer, beforeInstall }: UpdatesOptions): () => Promise<void> {
  // The person decides: an installer that starts by itself would end running agents.
  updater.autoInstallOnAppQuit = false;
  const say = (message: string, detail?: string) =>
    dialog.showMessageBox({
      type: detail === undefined ? "info" : "error",
      title: texts.name,
      message,
      ...(detail === undefined ? {} : { detail }),
      buttons: [texts.ok],
      defaultId: 0,
      cancelId: 0,
      noLink: true,
    });
  // Without a listener, an "error" event would end the app; each check rejects as well.
  updater.on("error", () => undefined);
  updater.on("update-downloaded", ({ version }) => {
    const offer = async () => {
      const { response } = await dialog.showMessageBox({
        type: "info",
        title: texts.updateTitle,
        message: texts.updateTitle,
        detail: texts.updateText(version),
        buttons: [texts.updateNow, texts.updateLater],
        defaultId: 0,
        cancelId: 1,
        noLink: true,
      });
      if (response !== 0) return;
      await beforeInstall();
      updater.quitAndInstall();
    };
    void offer();
  });
  const daily = () => {
    updater.checkForUpdates().catch(() => undefined);
    timer(everyMs, daily);
  };
  daily();
  return async () => {
    try {
      const found = await updater.checkForUpdates();
      if (!found?.isUpdateAvailable) await say(texts.upToDate);
    } catch (thrown) {
      await say(texts.updateFailed, thrown instanceof Error ? thrown.message : String(thrown));
    }
  };
}
