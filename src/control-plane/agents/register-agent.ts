import type { RegisteredAgent } from "../../contracts/runtime/agents.ts";
import type { RuntimeClient } from "../../contracts/runtime/client.ts";
import { AppError, toAppError } from "../../kit/app-error.ts";

/** How a service tells of an agent that could not be registered. */
export interface RegistrationErrors {
  /** Returns the error for an agent that the runtime refuses; undefined if the runtime failed. */
  refused(error: AppError): AppError | undefined;
  failed(cause: unknown): AppError;
}

/** Registers an agent with the runtime under this name. */
export async function registerAgent(
  runtime: Pick<RuntimeClient, "register">,
  runtimeName: string,
  agent: Parameters<RuntimeClient["register"]>[1],
  { refused, failed }: RegistrationErrors,
): Promise<RegisteredAgent> {
  try {
    return await runtime.register(runtimeName, agent);
  } catch (thrown) {
    throw refused(toAppError(thrown)) ?? failed(thrown);
  }
}

/** For a runtime that could not be reached or broke the connection. `advice` ends the sentence "The runtime failed". */
export const runtimeFailed = (cause: unknown, advice: string): AppError =>
  new AppError("upstream_failed", "runtime_failed", `The runtime failed${advice}`, { cause });
