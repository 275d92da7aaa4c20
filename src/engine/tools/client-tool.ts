import { readByJsonSchema } from "./input-schema.ts";
import type { BindEntry } from "./tool-type.ts";

/** `type: client`: a tool whose calls the agent's caller carries out; the run waits for the result. */
export const bindClientTool: BindEntry<"client"> = (entry, { path, ports, schemas }) => {
  const { name, description, parameters, timeout_seconds: seconds, mode } = entry;
  const reader = readByJsonSchema(parameters, `${path}.parameters`, schemas);
  // Proposed calls never wait.
  const refused = mode === "execute" ? ports.approvalsRefused : undefined;
  const problems = [
    ...(refused === undefined ? [] : [{ path: `${path}.type`, message: `client ${refused}` }]),
    ...("problems" in reader ? reader.problems : []),
  ];
  if (problems.length > 0 || "problems" in reader) return { problems };
  return {
    tool: {
      name,
      type: "client",
      description: description ?? `Calls ${name}.`,
      parameters,
      async execute() {
        return { success: false, error: notHere(name) };
      },
      describeCall: () => ({ target: "caller", operation: name }),
    },
    read: reader.read,
    timeoutMs: noWaitMs,
    byCaller: seconds === undefined ? {} : { waitMs: seconds * 1000 },
  };
};

/** Error for the model if the caller can't carry out the call. */
export function notHere(name: string): string {
  return `${name} is executed by the caller of the agent, and this caller can't. Go on without it.`;
}

/** Outside of a run that can wait, a call is refused immediately. */
const noWaitMs = 1000;
