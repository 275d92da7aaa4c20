import type { AgentDeleted } from "../../../contracts/daemon/agents.ts";
import type { Sender } from "../../../manifest/senders/sender.ts";
import type { DaemonDeps } from "../deps.ts";

/** Deletes an agent, its conversations and its file. A later agent with the same name starts empty. */
export async function deleteAgent(
  { library, paused }: DaemonDeps,
  name: string,
  sender: Sender,
): Promise<AgentDeleted> {
  await library.remove(name, sender);
  paused.set(name, false);
  return { status: "deleted", name };
}
