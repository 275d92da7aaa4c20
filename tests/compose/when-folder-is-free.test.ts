import { expect, test } from "bun:test";
import { whenFolderIsFree } from "../../src/compose/when-folder-is-free.ts";
import { AppError } from "../../src/kit/app-error.ts";
import { holderOf, inUse, openDataFolder } from "../../src/storage/files/data-folder.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { refusal } from "../support/refusal.ts";
import { temporaryFolder } from "../support/temp-folder.ts";

test("a start waits while a command has the data folder", async () => {
  using folder = temporaryFolder();
  const held = openDataFolder(folder.path);
  const clock = new FakeClock();
  const opened = whenFolderIsFree(async () => openDataFolder(folder.path), clock);
  await clock.advance(1_000);
  held.close();
  await clock.advance(1_000);
  (await opened).close();
});

test("a folder that stays in use is 409 after about five seconds, any other failure at once", async () => {
  const clock = new FakeClock();
  let tries = 0;
  const kept = refusal(
    whenFolderIsFree(() => {
      tries++;
      return Promise.reject(inUse("/data"));
    }, clock),
  );
  await clock.advance(8_000);
  expect(await kept).toMatchObject({ kind: "conflict", code: "data_folder_in_use" });
  expect(tries).toBe(26);
  const other = new AppError("invalid", "invalid_config", "No.");
  expect(await refusal(whenFolderIsFree(() => Promise.reject(other), clock))).toBe(other);
});

test("the holder of a folder is known while it lives", () => {
  using folder = temporaryFolder();
  expect(holderOf(folder.path)).toBeUndefined();
  const held = openDataFolder(folder.path);
  expect(holderOf(folder.path)).toBe(process.pid);
  held.close();
  expect(holderOf(folder.path)).toBeUndefined();
});
