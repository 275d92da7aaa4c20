import { createOwnToolProcess } from "../../src/engine/tools/own/own-tool-process.ts";
import { systemClock } from "../../src/kit/clock.ts";
import { newId } from "../../src/kit/id.ts";
import { OwnToolFiles } from "../../src/services/daemon/tools/own-tool-files.ts";
import { program } from "./program.ts";
import { recordingLogger } from "./recording-logger.ts";
import { temporaryFolder } from "./temp-folder.ts";
import { writeFiles } from "./write-files.ts";

/** Returns the text of a tool's file: `body` is the code of `execute`, which uses `input` and `context`. */
export const toolFile = (name: string, body: string, more = ""): string => `
export default {
  name: ${JSON.stringify(name)},
  description: "Does ${name}.",
  parameters: { type: "object" },
  ${more}
  async execute(input: any, context: any) {
    ${body}
  },
};
`;

/** Custom tools over real processes and the real clock. */
export async function openTools(
  files: Record<string, string>,
  {
    refusal = () => undefined,
    isAwake = true,
  }: { refusal?: () => string | undefined; isAwake?: boolean } = {},
) {
  const folder = temporaryFolder();
  const workspace = folder.path;
  writeFiles(workspace, files);
  const { log, logged } = recordingLogger();
  const command = [...program, "tool-child"];
  const runner = createOwnToolProcess({ command, clock: systemClock, newId, workspace });
  const tools = new OwnToolFiles({ workspace, process: runner, clock: systemClock, log, refusal, isAwake });
  await tools.look();
  const context = { session_id: "s", agent: "helper", secrets: { erp: "tok" } };
  return {
    tools,
    workspace,
    logged,
    write: (files: Record<string, string>) => writeFiles(workspace, files),
    call(name: string, input: Record<string, unknown> = {}, signal = new AbortController().signal) {
      const tool = tools.find(name);
      if (tool === undefined) throw new Error(`there is no tool ${name}`);
      return tools.call(tool, { input, context, signal, log });
    },
    [Symbol.dispose]() {
      tools.close();
      folder[Symbol.dispose]();
    },
  };
}
