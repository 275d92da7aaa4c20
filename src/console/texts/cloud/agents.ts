import { counted } from "../counted.ts";
import { isolated } from "../isolated.ts";

/** Texts of the list of agents, and of one agent. */
export const agentTexts = {
  title: "Agents",
  lead: (name: string, plan: string) => `Agents of ${isolated(name)} on the plan ${isolated(plan)}.`,
  places: (used: number, most: number) => `${used} of ${counted(most, "agent")}`,
  create: "New agent",
  full: (plan: string) =>
    `The plan ${isolated(plan)} allows no further agent. Delete one, or choose a larger plan.`,
  noneTitle: "Create the first agent",
  none: "Begin with a template, ask it beside its form, and publish it. The built-in model answers without a key.",
  agent: "Agent",
  model: "Model",
  status: "Status",
  created: "Created",
  noModel: "not chosen",
  edit: "Edit",
  hasDraft: "Draft",
  publish: "Publish draft",
  published: (name: string) => `The draft of ${isolated(name)} is in force.`,
  publishFailed: "The draft was not published",
  discard: "Discard draft",
  discardTitle: (name: string) => `Discard the draft of ${isolated(name)}?`,
  discardText: "Deletes the draft. The deployed version stays. This cannot be undone.",
  discarded: (name: string) => `The draft of ${isolated(name)} was discarded.`,
  rename: "Rename",
  renameTitle: "Rename agent",
  renameHint:
    "Part of its address: calls under the old name fail. Memory, usage and evals stay. Lower-case letters, digits and hyphens.",
  newName: "New name",
  renamed: (name: string) => `The agent is called ${isolated(name)} now.`,
  formerNames: "Former names",
  deploy: "Deploy",
  deployed: (name: string) => `${isolated(name)} is deployed and accepts runs.`,
  deployFailed: "The agent was not deployed",
  pause: "Pause",
  pauseTitle: (name: string) => `Pause ${isolated(name)}?`,
  pauseText: "The agent accepts no runs until you deploy it again. Its configuration and memory stay.",
  paused: (name: string) => `${isolated(name)} is paused.`,
  remove: "Delete",
  removeTitle: (name: string) => `Delete ${isolated(name)}?`,
  removeText: "Deletes the agent, its configuration and its memory. Usage stays. This cannot be undone.",
  removeAction: "Delete agent",
  removed: (name: string) => `${isolated(name)} was deleted.`,
  facts: "Configuration",
  manifest: "Compiled manifest",
  agentId: "Runtime id",
  deployedAt: "Deployed",
  updatedAt: "Changed",
  fallback: "Fallback model",
  persona: "Persona",
  prompt: "System prompt",
  tools: "Tools",
  memory: "Memory",
  window: (count: number) => counted(count, "message"),
  guardrails: "Guardrails",
  input: "input",
  output: "output",
  maxTokens: "Max output tokens",
  nothing: "none",
  call: "Call it",
  address: "https://your-cloud.example",
  callHint: "Create an API key under API keys, and send it as X-API-Key.",
  missing: "The agent does not exist. It may have been deleted.",
};

/** Texts of trying an agent. */
export const tryTexts = {
  publishedVersion: "Answers come from the deployed version. Try the draft in its editor.",
  title: "Try it",
  draft: "Deploy the agent to try it.",
  mode: "Kind of run",
  test: "Test",
  testHint: "Runs like a call, and does not count toward the daily limit.",
  stream: "Stream",
  streamHint: "Shows the answer as it is written. Counts toward the daily limit.",
  query: "Your question",
  placeholder: "Ask the agent something",
  ask: "Run",
  stop: "Stop",
  stopped: "Stopped.",
  newSession: "New session",
  session: "The next question continues the same session.",
  conversation: "Conversation",
  you: "You",
  tool: (name: string) => `Called ${isolated(name)}`,
  figures: (tokens: number, model: string, duration: string) =>
    `${counted(tokens, "token")} · ${isolated(model)} · ${duration}`,
  remaining: (count: number) => `${counted(count, "run")} left today`,
};

/** Texts of the manifest of an org's agent. */
export const orgManifestTexts = {
  notKept: "is not kept in the cloud; remove it",
  oneMemory: "has two kinds of long-term memory; an agent in the cloud has one",
  builtinOnly: "must be builtin: agents in the cloud have built-in tools",
};

/** Texts of the editor of an org's agent. */
export const orgBuilderTexts = {
  newTitle: "New agent",
  newLead:
    "Choose a template, change it, and ask the agent beside the form. Nothing is public until you publish.",
  editTitle: (name: string) => `Edit ${isolated(name)}`,
  editLead:
    "Ask the agent beside the form as you change it. Calls use the published version until you publish this one.",
  template: "Begin with",
  templates: {
    plain: "A plain assistant",
    shop: "A shop's assistant",
    support: "Customer support",
    writer: "A writer of short texts",
  },
  saveDraft: "Save draft",
  create: "Create",
  publish: "Publish",
  created: (name: string) => `${isolated(name)} was created. Nothing is public yet.`,
  saved: (name: string) => `The draft of ${isolated(name)} was saved.`,
  published: (name: string) => `${isolated(name)} is published and answers calls.`,
  savedNotPublished: "The draft was saved, but not published:",
  trialHint:
    "Asks the agent as it is written here, with the org's own keys. It is not counted and nothing is stored.",
  figures: (tokens: number, model: string, duration: string) =>
    `${counted(tokens, "token")} · ${isolated(model)} · ${duration}`,
  needsKey: (provider: string) => `${isolated(provider)} needs a key of the org.`,
  toProviders: "Add the key",
};

/** What keys of a manifest mean in the cloud. */
export const orgKeyTexts: Readonly<Record<string, string>> = {
  "metadata.name": "Part of its address: lower-case letters, digits and hyphens.",
  "spec.identity.display_name": "The name that people see.",
  "spec.identity.personality": "A few words about its manner.",
  "spec.model.primary.provider":
    "Who runs the model. Most need a key under Provider keys; rehearsal needs none.",
  "spec.model.primary.model": "The provider's own name of the model.",
  "spec.model.primary.parameters.max_tokens": "Longest answer, in tokens. Default: 1,000.",
  "spec.model.fallback.provider": "Answers if the model above fails.",
  "spec.model.fallback.model": "The provider's own name of the model.",
  "spec.memory.conversational.max_turns": "Messages of the conversation that the model sees. Default: 20.",
};
