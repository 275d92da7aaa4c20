/** What the templates for a tenant's new agent say. */
export const templateAgents = {
  plain: {
    description: "Answers questions.",
    prompt: "You are a helpful assistant. Answer briefly.",
  },
  documents: {
    description: "Answers from documents.",
    prompt:
      "You answer from our documents. Search them before you answer, and say where the answer stands. If they do not tell, say so.",
  },
  tools: {
    description: "Answers with the help of tools.",
    prompt: "You are a helpful assistant. Use your tools rather than guess.",
  },
  memory: {
    description: "Remembers the conversation.",
    prompt: "You are a helpful assistant. You know what was said before in this conversation.",
  },
  approval: {
    description: "Asks a person before it acts.",
    prompt:
      "You are a careful assistant. Use your tools for what the user asks; a person approves each call.",
  },
};
