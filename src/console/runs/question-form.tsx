import { Anchor, Button, Checkbox, Group, NativeSelect, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import { faultOf } from "../../contracts/daemon/questions/check-answer.ts";
import type { FieldValue, Question, QuestionField } from "../../contracts/daemon/questions/question.ts";
import { valueIn } from "../../contracts/daemon/questions/written-answer.ts";
import { runPartTexts as texts } from "../texts/runs.ts";
import type { Decide } from "./run-state.ts";

interface QuestionFormProps {
  question: Question;
  isBusy?: boolean;
  decide: Decide;
}

/** Entries of a form: the text of a field, its chosen options, or whether it is checked. */
type Entries = Readonly<Record<string, string | readonly string[] | boolean>>;

/** What a tool's server asks a person: a form or a link, to accept, decline or dismiss. */
export function QuestionForm({ question, isBusy = false, decide }: QuestionFormProps) {
  const { server, message, fields = [], url, warning } = question;
  const [entries, setEntries] = useState<Entries>(() => presets(fields));
  const [wasSent, setSent] = useState(false);
  const read = fields.map((field) => ({ field, ...readEntry(field, entries[field.name]) }));
  const accept = () => {
    setSent(true);
    if (read.some(({ fault }) => fault !== undefined)) return;
    const values = read.flatMap(({ field, value }) =>
      value === undefined ? [] : [[field.name, value] as const],
    );
    decide("approve", url === undefined ? { answer: Object.fromEntries(values) } : {});
  };
  return (
    <>
      <Text className="ar-break" style={{ whiteSpace: "pre-wrap" }}>
        {message}
      </Text>
      {warning !== undefined && (
        <Text role="note" className="ar-break" c="var(--ar-warn)">
          {warning}
        </Text>
      )}
      {url !== undefined && (
        <Anchor href={url} target="_blank" rel="noopener noreferrer nofollow" className="ar-break">
          {url}
        </Anchor>
      )}
      {read.map(({ field, fault }) => (
        <FieldInput
          key={field.name}
          field={field}
          entry={entries[field.name]}
          error={wasSent ? fault : undefined}
          isBusy={isBusy}
          set={(entry) => setEntries((now) => ({ ...now, [field.name]: entry }))}
        />
      ))}
      <Group gap="xs">
        <Button disabled={isBusy} onClick={accept}>
          {url === undefined ? texts.sendAnswer(server) : texts.linkDone}
        </Button>
        <Button variant="default" disabled={isBusy} onClick={() => decide("reject", {})}>
          {texts.decline}
        </Button>
        <Button variant="subtle" disabled={isBusy} onClick={() => decide("reject", { cancel: true })}>
          {texts.dismiss}
        </Button>
      </Group>
    </>
  );
}

interface FieldInputProps {
  field: QuestionField;
  entry: Entries[string] | undefined;
  error: string | undefined;
  isBusy: boolean;
  set: (entry: Entries[string]) => void;
}

function FieldInput({ field, entry, error, isBusy, set }: FieldInputProps) {
  const { name, title = name, type, required, description, options = [], format } = field;
  const shown = { label: title, description, error: error && texts.mustFit(error), disabled: isBusy };
  const data = options.map(({ value, title: label = value }) => ({ value, label }));
  if (type === "boolean")
    return (
      <Checkbox {...shown} checked={entry === true} onChange={(event) => set(event.currentTarget.checked)} />
    );
  if (type === "choices")
    return (
      <Checkbox.Group {...shown} withAsterisk={required} value={[...(entry as string[])]} onChange={set}>
        {data.map(({ value, label }) => (
          <Checkbox key={value} value={value} label={label} disabled={isBusy} />
        ))}
      </Checkbox.Group>
    );
  if (type === "choice")
    return (
      <NativeSelect
        {...shown}
        withAsterisk={required}
        value={entry as string}
        data={[{ value: "", label: texts.noOption }, ...data]}
        onChange={(event) => set(event.currentTarget.value)}
      />
    );
  return (
    <TextInput
      {...shown}
      withAsterisk={required}
      autoComplete="off"
      placeholder={format}
      value={entry as string}
      onChange={(event) => set(event.currentTarget.value)}
    />
  );
}

function presets(fields: readonly QuestionField[]): Entries {
  return Object.fromEntries(
    fields.map(({ name, type, default: preset }) => {
      if (type === "boolean") return [name, preset === true];
      if (type === "choices") return [name, Array.isArray(preset) ? preset : []];
      return [name, preset === undefined ? "" : String(preset)];
    }),
  );
}

/** The value of an entry; undefined for an empty one, which only an optional field may have. */
export function readEntry(
  field: QuestionField,
  entry: Entries[string] | undefined,
): { value?: FieldValue; fault?: string } {
  const value =
    typeof entry === "string" && field.type !== "choice" ? valueIn(field, entry) : (entry as FieldValue);
  const isEmpty = entry === "" || entry === undefined || (Array.isArray(entry) && entry.length === 0);
  if (isEmpty) return field.required ? { fault: texts.isRequired } : {};
  const fault = faultOf(field, value);
  return fault === undefined ? { value } : { fault };
}
