import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { stampOf } from "../model-file.ts";
import type { FileRef } from "../process/messages.ts";
import { ModelFault } from "./model-fault.ts";

const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/**
 * Reads exactly the file version that was looked up; `count` receives its size first and may throw. Throws ModelFault if the file was
 * removed or changed, also while it was read.
 */
export function readUnchanged(
  { path, stamp }: FileRef,
  count: (bytes: number) => void,
): Uint8Array<ArrayBuffer> {
  let file: number | undefined;
  try {
    file = openSync(path, flags);
    const isSame = () => stampOf(fstatSync(file ?? -1, { bigint: true })) === stamp;
    if (!isSame()) throw changed();
    count(fstatSync(file).size);
    const bytes = readFileSync(file);
    if (!isSame()) throw changed();
    return bytes;
  } catch (thrown) {
    throw thrown instanceof ModelFault ? thrown : changed();
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

const changed = () =>
  new ModelFault("model_not_found", "was changed or removed while it was read; try again");
