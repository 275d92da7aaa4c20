import { PageHeader } from "../../parts/layout/page-header.tsx";
import { specTexts as texts } from "../../texts/translator/translator.ts";
import { translatorPaths } from "../translator-paths.ts";
import { SpecEditor } from "./spec-editor.tsx";

/** An agent that shows what a translation does: resources, and gaps. */
const example = `apiVersion: platform/v1
kind: Agent
metadata: {name: help-desk}
spec:
  identity: {description: Answers questions about orders.}
  model: {primary: {provider: openai, model: gpt-5-mini}}
  prompts: {system: You help customers of a shop.}
  guardrails:
    input: [{type: pii_detection}]
  memory: {conversational: {strategy: sliding_window, max_turns: 20}}
`;

export default function NewSpecPage() {
  return (
    <>
      <PageHeader
        title={texts.newTitle}
        lead={texts.editLead}
        up={{ href: translatorPaths.specs, label: texts.title }}
      />
      <SpecEditor initial={example} />
    </>
  );
}
