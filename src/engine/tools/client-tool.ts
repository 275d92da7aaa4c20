import { readByJsonSchema } from "./read-by-json-schema.ts";
import type { BindEntry } from "./tool-kind.ts";

/** `type: client`: a tool that whoever asked the agent carries out; the run waits for what comes of it. */
export const bindClientTool: BindEntry<"client"> = (entry, { path, ports, schemas }) => {
  const { name, description, parameters, timeout_seconds: seconds, mode } = entry;
  const reader = readByJsonSchema(parameters, `${path}.parameters`, schemas);
  // What is only proposed never waits.
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

/** What a model is told where nobody can be asked to carry its call out. */
export function notHere(name: string): string {
  return `${name} is carried out by whoever asks the agent, and here nobody can. Go on without it.`;
}

/** Outside of a run that can wait a call is refused at once. */
const noWaitMs = 1000;
