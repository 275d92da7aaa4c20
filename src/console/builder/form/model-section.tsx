import { Button, Text } from "@mantine/core";
import { valueAt } from "../../../manifest/value-at.ts";
import { Icon } from "../../parts/icon.tsx";
import { builderTexts as texts } from "../../texts/builder.ts";
import { schemaAt } from "../manifest/schema-at.ts";
import { EntryList } from "./entry-list.tsx";
import { useFormContent } from "./form-context.ts";
import { ModelFields } from "./model-fields.tsx";
import { SchemaField } from "./schema-field.tsx";

const fallback = ["spec", "model", "fallback"];

/** The model of the agent and its fallbacks. */
export function ModelSection() {
  const { schema, value, change } = useFormContent();
  const hasFallback = valueAt(value, fallback) !== undefined;
  const hasSeveral = hasFallback || valueAt(value, ["spec", "model", "fallbacks"]) !== undefined;
  const starter = () => ({ provider: "ollama", model: "llama3.2" });
  return (
    <>
      <ModelFields at="spec.model.primary" />
      {schemaAt(schema, fallback, value) === undefined ? null : hasFallback ? (
        <fieldset className="ar-edit-group">
          <legend>{texts.fallback}</legend>
          <Text size="xs" className="ar-soft">
            {texts.fallbackHint}
          </Text>
          <ModelFields at="spec.model.fallback" />
          <Button
            size="xs"
            variant="default"
            leftSection={<Icon name="trash" size={14} />}
            onClick={() => change(fallback, undefined)}
          >
            {texts.removeFallback}
          </Button>
        </fieldset>
      ) : (
        <Button
          size="xs"
          variant="default"
          leftSection={<Icon name="plus" size={14} />}
          onClick={() => change(fallback, starter())}
        >
          {texts.addFallback}
        </Button>
      )}
      {hasSeveral && schemaAt(schema, ["spec", "model", "fallbacks"], value) !== undefined && (
        <>
          <EntryList
            path="spec.model.fallbacks"
            labelOf={texts.furtherFallback}
            addLabel={texts.addFurtherFallback}
            starter={starter}
          >
            {(path) => <ModelFields at={path} />}
          </EntryList>
          <SchemaField path="spec.model.routing.strategy" />
        </>
      )}
    </>
  );
}
