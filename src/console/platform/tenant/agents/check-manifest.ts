import type { ProblemBody as Problem } from "../../../../contracts/error-body.ts";
import { checkFile } from "../../../../manifest/manifest-kind.ts";
import { agentKind } from "../../../../manifest/parse-agent.ts";

/** By shape alone, as the platform begins: which models and tools there are it finds out when the agent is saved. */
const shape = agentKind({});

/** What is wrong with an agent's text before it is sent, with lines. */
export function checkManifest(text: string): Problem[] {
  const checked = checkFile(shape, text);
  return "problems" in checked ? checked.problems : [];
}
