import { AppError } from "../kit/app-error.ts";
import { type Clock, systemClock } from "../kit/clock.ts";
import { retry } from "../kit/retry.ts";

/** A server has started, and most commands have ended, within this time: 25 waits of a fifth of a second. */
const waits = { attempts: 26, delaysMs: [200] };

/** Returns what `use` returns; calls it again while another process has the data folder, for about five seconds. */
export const whenFolderIsFree = <T>(use: () => Promise<T>, clock: Clock = systemClock): Promise<T> =>
  retry(use, {
    ...waits,
    clock,
    random: Math.random,
    shouldRetry: (thrown) => thrown instanceof AppError && thrown.code === "data_folder_in_use",
  });
