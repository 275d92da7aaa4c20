import { AppError } from "../../../../kit/app-error.ts";
import { sleep } from "../../../../kit/clock.ts";
import type { AwsWork } from "./aws-kind.ts";

const waitMs = 3_000;
const attemptsMax = 8;

/** Repeats a call that names a new role: other services learn of a role only some seconds after IAM made it. */
export async function onceRoleIsKnown<T>({ api, signal }: AwsWork, call: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await call();
    } catch (thrown) {
      const isUnknownRole =
        thrown instanceof AppError &&
        /ValidationException|AccessDenied/.test(thrown.message) &&
        /\brole\b/i.test(thrown.message);
      if (!isUnknownRole || attempt === attemptsMax) throw thrown;
    }
    await sleep(api.clock, waitMs, signal);
  }
}
