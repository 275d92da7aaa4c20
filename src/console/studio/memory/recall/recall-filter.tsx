import { Button, TextInput } from "@mantine/core";
import { useState } from "react";
import { recallTexts as texts } from "../../../texts/studio/resources.ts";

interface RecallFilterProps<Name extends string> {
  fields: readonly { name: Name; label: string; description?: string }[];
  values: Readonly<Record<Name, string>>;
  set: (values: Record<Name, string>) => void;
}

/** Filter of a list of memories; it applies when submitted. */
export function RecallFilter<Name extends string>({ fields, values, set }: RecallFilterProps<Name>) {
  const [written, write] = useState<Record<Name, string>>(values);
  return (
    <form
      className="ar-recall-filter"
      onSubmit={(event) => {
        event.preventDefault();
        set(written);
      }}
    >
      {fields.map(({ name, label, description }) => (
        <TextInput
          key={name}
          label={label}
          description={description}
          value={written[name]}
          onChange={(event) => write({ ...written, [name]: event.currentTarget.value })}
        />
      ))}
      <Button type="submit" variant="default">
        {texts.apply}
      </Button>
    </form>
  );
}
