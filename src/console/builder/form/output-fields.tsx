import { ActionIcon, Button, Select, TextInput } from "@mantine/core";
import { useState } from "react";
import { outputTypes } from "../../../manifest/agent/output-schema.ts";
import { Icon } from "../../parts/icon.tsx";
import { builderTexts as texts } from "../../texts/builder.ts";
import { fieldNameRefusal, freeFieldName } from "../manifest/output-fields.ts";
import { EntryProblems } from "./entry-problems.tsx";
import { useFormContent } from "./form-context.ts";

const path = ["spec", "output_schema"];

/** The fields of the shorthand `{field: type}`. */
export function OutputFields({ fields }: { fields: Record<string, unknown> }) {
  const { change } = useFormContent();
  const names = Object.keys(fields);
  return (
    <>
      {names.map((name, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the name changes while it is typed
        <OutputField key={index} name={name} place={index + 1} type={String(fields[name])} names={names} />
      ))}
      <EntryProblems path={path.join(".")} />
      <div>
        <Button
          size="xs"
          variant="default"
          leftSection={<Icon name="plus" />}
          onClick={() => change([...path, freeFieldName(names)], "string")}
        >
          {texts.addField}
        </Button>
      </div>
    </>
  );
}

interface OutputFieldProps {
  name: string;
  type: string;
  /** Counted from 1. */
  place: number;
  names: readonly string[];
}

/** A field's name and type. A name that the manifest cannot have stays in the input, with the reason. */
function OutputField({ name, type, place, names }: OutputFieldProps) {
  const { change, rename } = useFormContent();
  const [draft, setDraft] = useState<{ text: string; of: string }>();
  const shown = draft?.of === name ? draft.text : name;
  const others = names.filter((one) => one !== name);
  return (
    <div className="ar-edit-entry ar-edit-output">
      <TextInput
        label={texts.fieldName(place)}
        value={shown}
        error={fieldNameRefusal(shown, others)}
        spellCheck={false}
        onChange={({ currentTarget: { value: text } }) => {
          const isRefused = fieldNameRefusal(text, others) !== undefined;
          setDraft({ text, of: isRefused ? name : text });
          if (!isRefused && text !== name) rename([...path, name], text);
        }}
      />
      <Select
        label={texts.fieldType(place)}
        data={[...outputTypes]}
        value={type}
        allowDeselect={false}
        onChange={(next) => {
          if (next !== null) change([...path, name], next);
        }}
      />
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={texts.remove(name)}
        disabled={others.length === 1 && others[0] === "type"}
        onClick={() => change([...path, name], undefined)}
      >
        <Icon name="trash" />
      </ActionIcon>
    </div>
  );
}
