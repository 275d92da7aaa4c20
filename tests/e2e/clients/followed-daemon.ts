import { type ServerProcess, startServer } from "../../support/executable.ts";
import { program } from "../../support/program.ts";
import { temporaryFolder } from "../../support/temp-folder.ts";
import { writeFiles } from "../../support/write-files.ts";

export const apiToken = "client-token-0123456789-abcdefghijklmnop";

const agent = (name: string, spec: string) => `apiVersion: platform/v1
kind: Agent
metadata: {name: ${name}}
spec:
  model: {primary: {provider: rehearsal, model: rehearsal}}
${spec}`;

/** A daemon that asks for a token, with agents for each way that a run can end. */
export async function clientDaemon(): Promise<ServerProcess> {
  const folder = temporaryFolder();
  writeFiles(folder.path, {
    "agents/clock.agent.yaml": agent("clock", "  tools: [{name: datetime_now, type: builtin}]\n"),
    "agents/clerk.agent.yaml": agent(
      "clerk",
      "  tools: [{name: datetime_now, type: builtin, requires_approval: true}]\n",
    ),
    "agents/strict.agent.yaml": agent(
      "strict",
      "  guardrails: {input: [{type: prompt_injection, action: block}]}\n",
    ),
    "evals/greeting.eval.yaml": `apiVersion: platform/v1
kind: Eval
metadata: {name: greeting}
spec:
  agent: clock
  cases:
    - {id: hello, query: Hello, checks: [{max_steps: 9}]}
    - {id: never, query: Hello, checks: [{contains: no answer says this}]}
`,
    // Evals are for the owner of the machine, and for senders of the token only if the owner says so.
    "runtime.yaml": "spec: {agents: {trusted_senders: token}}\n",
  });
  const [first = "", ...args] = program;
  const server = await startServer(folder.path, {
    // On loopback alone, a daemon asks for no token.
    env: { PLATFORM_API_TOKEN: apiToken, ARGOSY_HOST: "0.0.0.0" },
    ...(args.length === 0 ? { program: first } : {}),
  });
  return {
    ...server,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      folder[Symbol.dispose]();
    },
  };
}
