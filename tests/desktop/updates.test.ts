import { expect, test } from "bun:test";
import type { MessageBox } from "../../desktop/src/electron-api.ts";
import { texts } from "../../desktop/src/texts.ts";
import { type Updater, watchUpdates } from "../../desktop/src/updates.ts";
import { FakeClock } from "../support/fake-clock.ts";

/** An updater that a test plays, over the app's own watch. */
function watched(answer: string, check: () => Promise<{ isUpdateAvailable: boolean } | null>) {
  const clock = new FakeClock();
  const events: string[] = [];
  const listeners = new Map<string, (value: never) => void>();
  const boxes: MessageBox[] = [];
  const done = Promise.withResolvers<void>();
  const updater: Updater = {
    autoInstallOnAppQuit: true,
    checkForUpdates: () => {
      events.push("checked");
      return check();
    },
    quitAndInstall: () => {
      events.push("installed");
      done.resolve();
    },
    on: (event: string, listener: (value: never) => void) => listeners.set(event, listener),
  };
  const checkNow = watchUpdates({
    updater,
    dialog: {
      async showMessageBox(box) {
        boxes.push(box);
        return { response: box.buttons.indexOf(answer) };
      },
      showOpenDialog: () => Promise.reject(new Error("No folder is chosen here.")),
    },
    timer: (ms, fire) => clock.timer(ms, fire),
    beforeInstall: async () => void events.push("stopped"),
  });
  const tell = (event: string, value: unknown) => listeners.get(event)?.(value as never);
  return { clock, events, boxes, updater, checkNow, tell, installed: done.promise };
}

const none = async () => ({ isUpdateAvailable: false });

test("it looks at the start and once a day, and a failure is not shown", async () => {
  const { clock, events, boxes } = watched(texts.ok, () => Promise.reject(new Error("offline")));
  await clock.advance(24 * 3_600_000);
  expect([events, boxes]).toEqual([["checked", "checked"], []]);
});

test("a downloaded update is installed once the person agrees, after the server has stopped", async () => {
  const { events, tell, updater, boxes, installed } = watched(texts.updateNow, none);
  expect(updater.autoInstallOnAppQuit).toBe(false);
  tell("update-downloaded", { version: "2.0.0" });
  await installed;
  expect(events).toEqual(["checked", "stopped", "installed"]);
  expect(boxes[0]?.detail).toContain("2.0.0");
});

test("a person who says later keeps the version", async () => {
  const { events, tell, clock } = watched(texts.updateLater, none);
  tell("update-downloaded", { version: "2.0.0" });
  await clock.advance(0);
  expect(events).toEqual(["checked"]);
});

test("the menu's check says that there is none, or why it failed", async () => {
  const latest = watched(texts.ok, none);
  await latest.checkNow();
  expect(latest.boxes.map(({ message }) => message)).toEqual([texts.upToDate]);
  const offline = watched(texts.ok, () => Promise.reject(new Error("offline")));
  await offline.checkNow();
  expect(offline.boxes).toMatchObject([{ message: texts.updateFailed, detail: "offline" }]);
});
