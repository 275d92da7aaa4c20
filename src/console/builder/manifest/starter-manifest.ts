/** Returns the initial manifest of a new agent, which runs at once and needs no key. */
export const starterManifest = (name: string): string => `apiVersion: platform/v1
kind: Agent
metadata:
  name: ${name}
spec:
  identity:
    description: Answers questions.
  model:
    # Simulated answers: this model needs no key and makes no network call. Choose your own provider and model here.
    primary:
      provider: rehearsal
      model: rehearsal
  prompts:
    system: |-
      You are a helpful assistant. Answer briefly.
      Use your tools rather than guess.
  tools:
    - name: datetime_now
      type: builtin
`;
