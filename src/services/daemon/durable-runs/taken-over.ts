import { AppError } from "../../../kit/app-error.ts";

/** The error of a process whose run another one continues. */
export const takenOver = () =>
  new AppError(
    "conflict",
    "run_taken_over",
    "Another process continues this run, because this one did not respond.",
  );
