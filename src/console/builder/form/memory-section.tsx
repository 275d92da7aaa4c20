import { Switch } from "@mantine/core";
import { valueAt } from "../../../manifest/value-at.ts";
import { builderTexts as texts } from "../../texts/builder.ts";
import { schemaAt } from "../manifest/schema-at.ts";
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
  const { schema, value, change } = useFormContent();
  const path = ["spec", "memory", kind];
  if (schemaAt(schema, path, value) === undefined) return null;
  const shown = fields.filter((field) => schemaAt(schema, [...path, field], value) !== undefined);
  const isOn = valueAt(value, path) !== undefined;
  return (
    <div className="ar-edit-fields">
      <Switch
        label={texts.memories[kind]}
        checked={isOn}
        onChange={({ currentTarget: { checked } }) => change(path, checked ? {} : undefined)}
      />
      {isOn && shown.length > 0 && (
        <div className="ar-edit-pair ar-edit-indent">
          {shown.map((field) => (
            <SchemaField key={field} path={`spec.memory.${kind}.${field}`} />
          ))}
        </div>
      )}
    </div>
  );
}
