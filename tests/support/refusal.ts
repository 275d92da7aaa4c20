import { AppError } from "../../src/kit/app-error.ts";

/** Returns the AppError that a call throws or rejects with; fails if the call succeeds or throws anything else. */
export async function refusal(call: PromiseLike<unknown> | (() => unknown)): Promise<AppError> {
  const thrown = await outcome(call);
  if (!(thrown instanceof AppError)) throw new Error(`Expected an AppError, got ${Bun.inspect(thrown)}`);
  return thrown;
}

async function outcome(call: PromiseLike<unknown> | (() => unknown)): Promise<unknown> {
  try {
    await (typeof call === "function" ? call() : call);
    return undefined;
  } catch (thrown) {
    return thrown;
  }
}
