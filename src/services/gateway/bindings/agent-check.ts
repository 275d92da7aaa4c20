import { AppError } from "../../../kit/app-error.ts";

export interface AgentQuestion {
  apiKey: string;
  agent: string;
}

/** Asks the agent platform about an agent. */
export interface BindingCheck {
  /** Rejects if the platform could not be asked. */
  look(question: AgentQuestion, signal: AbortSignal): Promise<"known" | "unknown_agent" | "key_refused">;
  /** Returns the person behind the tenant of the key; undefined if the platform doesn't say. Rejects as `look`. */
  ownerOf(question: AgentQuestion, signal: AbortSignal): Promise<string | undefined>;
}

/** Requires that the platform knows the agent and accepts the key. Throws 422, or 502 if it could not be asked. */
export async function requireAgent(
  check: BindingCheck,
  question: AgentQuestion,
  signal: AbortSignal,
): Promise<void> {
  const { agent } = question;
  const found = await check.look(question, signal).catch((thrown) => {
    const reason = thrown instanceof AppError ? ` ${thrown.message}` : "";
    throw new AppError(
      "upstream_failed",
      "platform_unreachable",
      `The agent platform could not be asked about agent ${agent}.${reason}`,
      { cause: thrown },
    );
  });
  if (found === "unknown_agent") {
    throw new AppError(
      "unprocessable",
      "agent_unknown",
      `The agent platform has no agent ${agent} for this key.`,
      {
        details: { hint: "Create it there first, or correct entry_agent." },
      },
    );
  }
  if (found === "key_refused") {
    throw new AppError(
      "unprocessable",
      "key_refused",
      "The agent platform refused config.platform_api_key.",
      {
        details: { hint: "Send a key of the tenant on the platform that was not revoked." },
      },
    );
  }
}
