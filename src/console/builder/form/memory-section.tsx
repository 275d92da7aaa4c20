import { Switch } from "@mantine/core";
import { valueAt } from "../../../manifest/value-at.ts";
import { builderTexts as texts } from "../../texts/builder.ts";
import { useFormContent } from "./form-context.ts";
import { SchemaField } from "./schema-field.tsx";

/** The memory settings of the agent. */
export function MemorySection() {
  const { value } = useFormContent();
  const strategy = valueAt(value, ["spec", "memory", "conversational", "strategy"]);
  return (
    <>
      <fieldset className="ar-edit-group">
        <legend>{texts.conversation}</legend>
        <SchemaField path="spec.memory.conversational.strategy" />
        <div className="ar-edit-pair">
          <SchemaField path="spec.memory.conversational.max_turns" />
          {(strategy === "summary" || strategy === "token_budget") && (
            <SchemaField path="spec.memory.conversational.token_budget" />
          )}
        </div>
      </fieldset>
      <Remembered kind="semantic" fields={["embedder", "max_results"]} />
      <Remembered kind="episodic" fields={["max_results"]} />
    </>
  );
}

interface RememberedProps {
  kind: "semantic" | "episodic";
  fields: readonly string[];
}

function Remembered({ kind, fields }: RememberedProps) {
  const { value, change } = useFormContent();
  const path = ["spec", "memory", kind];
  const isOn = valueAt(value, path) !== undefined;
  return (
    <div className="ar-edit-fields">
      <Switch
        label={texts.memories[kind]}
        checked={isOn}
        onChange={({ currentTarget: { checked } }) => change(path, checked ? {} : undefined)}
      />
      {isOn && (
        <div className="ar-edit-pair ar-edit-indent">
          {fields.map((field) => (
            <SchemaField key={field} path={`spec.memory.${kind}.${field}`} />
          ))}
        </div>
      )}
    </div>
  );
}
