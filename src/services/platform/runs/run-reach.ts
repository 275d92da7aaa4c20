/** Returns where a run's agent may send messages: the conversation that it answers, and the recipients in its tool entry. */
export function runReach(
  spec: Record<string, unknown>,
  { channel, sender, conversation_ref }: Record<string, unknown>,
): Record<string, unknown> {
  return { channel, sender, conversation_ref, recipients: listedRecipients(spec) };
}

function listedRecipients(manifest: Record<string, unknown>): unknown[] {
  const tools = fieldsOf(manifest.spec).tools;
  if (!Array.isArray(tools)) return [];
  return tools.map(fieldsOf).flatMap(({ type, config }) => {
    const { recipients } = fieldsOf(config);
    return type === "internal" && Array.isArray(recipients) ? recipients : [];
  });
}

const fieldsOf = (value: unknown): Record<string, unknown> =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
