import { Text } from "@mantine/core";
import { agentEditorTexts as texts } from "../../../texts/studio-agents.ts";
import { useFormContent, valueAt } from "./form-context.ts";
import { SchemaField } from "./schema-field.tsx";

/** How the agent reaches an answer, and its limits. */
export function OrchestrationSection() {
  const { value } = useFormContent();
  const pattern = valueAt(value, ["spec", "orchestration", "pattern"]);
  return (
    <>
      <SchemaField path="spec.orchestration.pattern" />
      {pattern === "supervisor" && <SchemaField path="spec.orchestration.workers" />}
      {pattern === "pipeline" && (
        <Text size="sm" className="ar-soft">
          {texts.stages}
        </Text>
      )}
      <div className="ar-edit-pair">
        <SchemaField path="spec.orchestration.max_iterations" />
        <SchemaField path="spec.orchestration.timeout_seconds" />
      </div>
    </>
  );
}
