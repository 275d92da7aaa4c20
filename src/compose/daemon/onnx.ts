import { join } from "node:path";
import { AppError } from "../../kit/app-error.ts";
import type { Clock } from "../../kit/clock.ts";
import { installAtFirstUse } from "../../kit/first-use-install.ts";
import type { Logger } from "../../kit/log.ts";
import { createOnnxRuntime } from "../../onnx/create-onnx-runtime.ts";
import type { OnnxRuntime } from "../../onnx/onnx-runtime.ts";
import { childCommand, isExecutable } from "../child-command.ts";

/** Runtime for models in the user's own files in `<data>/models`. Its process starts with the first use. */
export function openOnnx(dataFolder: string, log: Logger, clock: Clock): OnnxRuntime {
  return createOnnxRuntime({
    folder: join(dataFolder, "models"),
    childCommand: childCommand("onnx-child"),
    install: isExecutable ? async () => {} : () => installAtFirstUse("onnxruntime-web", onnxUnavailable),
    clock,
    log,
  });
}

const onnxUnavailable = (message: string, hint: string) =>
  new AppError("unavailable", "onnx_unavailable", message, { details: { hint } });
