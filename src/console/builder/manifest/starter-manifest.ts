import { starterTexts as texts } from "../../texts/builder.ts";

/** Returns the initial manifest of a new agent, which runs at once and needs no key. */
export const starterManifest = (name: string): string => `apiVersion: platform/v1
kind: Agent
metadata:
  name: ${name}
spec:
  identity:
    description: ${texts.description}
  model:
    # ${texts.modelNote}
    primary:
      provider: rehearsal
      model: rehearsal
  prompts:
    system: |-
      ${texts.prompt.join("\n      ")}
  tools:
    - name: datetime_now
      type: builtin
`;
