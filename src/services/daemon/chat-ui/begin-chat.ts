import type { ChatMessage } from "../../../contracts/daemon/openai.ts";
import type { RunEvent } from "../../../engine/run-state/run-event.ts";
import { AppError } from "../../../kit/app-error.ts";
import { decideApproval, type GivenDecision, getApproval } from "../approvals/decide-approval.ts";
import { conversationEvents } from "../openai/agent-completion.ts";
import { invalid, readMessages } from "../openai/chat-messages.ts";
import type { RunDeps } from "../runs/admit-run.ts";

/** What a user of an interface did: said something, sent the result of a call, or decided about one. */
export interface ChatTurn {
  messages: readonly ChatMessage[];
  /** `decide` reads the decision for what the run waits for: a question of a server, or a call. */
  decision?: { approvalId: string; decide: (isQuestion: boolean) => GivenDecision };
}

export interface ChatCaller {
  signal: AbortSignal;
  requestId: string;
}

/** Starts or resumes a run of an agent. The interface keeps the conversation and sends all of it. */
export async function beginChat(
  deps: RunDeps,
  agent: string,
  { messages, decision }: ChatTurn,
  caller: ChatCaller,
): Promise<AsyncIterable<RunEvent>> {
  if (decision !== undefined) return decided(deps, agent, decision, caller);
  const conversation = {
    messages: readMessages({ messages: [...messages] }),
    sessionId: undefined,
    stream: true,
    parameters: {},
  };
  return conversationEvents(deps, agent, conversation, caller);
}

async function decided(
  deps: RunDeps,
  agent: string,
  { approvalId, decide }: NonNullable<ChatTurn["decision"]>,
  caller: ChatCaller,
): Promise<AsyncIterable<RunEvent>> {
  const { approvals } = deps;
  const row = approvals && (await getApproval(approvals, approvalId));
  if (approvals === undefined || row?.agent !== agent)
    throw new AppError(
      "not_found",
      "approval_not_found",
      `Agent ${agent} waits for no approval with this id.`,
    );
  const isQuestion = approvals.vault.open("asked", row)?.question !== undefined;
  const decision = decide(isQuestion);
  const answer = await decideApproval(deps, approvals, approvalId, decision, { stream: true, ...caller });
  if ("events" in answer) return answer.events;
  throw new AppError("conflict", "agent_changed", answer.closed.message);
}

/** The agent's tools that its caller carries out. */
export async function clientToolsOf(
  { catalog }: Pick<RunDeps, "catalog">,
  agent: string,
): Promise<ReadonlySet<string>> {
  const tools = (await catalog.findFresh(agent))?.agent?.manifest.spec.tools ?? [];
  return new Set(tools.flatMap((tool) => (tool.type === "client" ? [tool.name] : [])));
}

/** An interface may offer only what the agent's manifest says that its caller carries out. */
export function requireClientTools(offered: readonly { name: string }[], own: ReadonlySet<string>): void {
  for (const [index, { name }] of offered.entries())
    if (!own.has(name))
      throw invalid(
        `tools[${index}].name`,
        `is ${JSON.stringify(name)}, which is not a client tool of the agent`,
      );
}
