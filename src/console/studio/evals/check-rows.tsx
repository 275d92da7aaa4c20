import { Button, Group, Select, Text, TextInput } from "@mantine/core";
import { type CheckKind, checkKinds } from "../../../manifest/eval/checks.ts";
import { Icon } from "../../parts/icon.tsx";
import { SchemaFormField } from "../../parts/schema-form/schema-form-field.tsx";
import { evalTexts as texts } from "../../texts/studio/evals.ts";
import { beginningOf, type CheckDraft, faultsOfCheck, schemaOfCheck } from "./case-draft.ts";

interface CheckRowsProps {
  checks: readonly CheckDraft[];
  change: (checks: CheckDraft[]) => void;
}

/** Checks of an answer, of any kind: a row for each. */
export function CheckRows({ checks, change }: CheckRowsProps) {
  const set = (key: number, changed: Partial<CheckDraft>) =>
    change(checks.map((one) => (one.key === key ? { ...one, ...changed } : one)));
  return (
    <fieldset className="ar-eval-checks">
      <Text component="legend" size="sm" fw={500}>
        {texts.checks}
      </Text>
      <Text size="xs" className="ar-soft">
        {texts.checksHint}
      </Text>
      {checks.map((check, index) => (
        <div key={check.key} className="ar-eval-check">
          <Select
            aria-label={`${texts.checkKind}, ${texts.checkNumber(index + 1)}`}
            allowDeselect={false}
            searchable
            value={check.kind}
            data={checkKinds.map((value) => ({ value, label: texts.checkKinds[value] }))}
            onChange={(value) => set(check.key, begun((value ?? check.kind) as CheckKind, check))}
          />
          <CheckValue
            check={check}
            label={`${texts.checkValue}, ${texts.checkNumber(index + 1)}`}
            change={(value) => set(check.key, { value })}
          />
          <Button
            variant="subtle"
            color="gray"
            size="compact-sm"
            aria-label={`${texts.removeCheck} ${texts.checkNumber(index + 1)}`}
            onClick={() => change(checks.filter((one) => one.key !== check.key))}
          >
            <Icon name="trash" />
          </Button>
        </div>
      ))}
      <Group>
        <Button
          variant="default"
          size="compact-sm"
          leftSection={<Icon name="plus" />}
          onClick={() =>
            change([
              ...checks,
              { key: Math.max(-1, ...checks.map(({ key }) => key)) + 1, kind: "contains", value: "" },
            ])
          }
        >
          {texts.addCheck}
        </Button>
      </Group>
    </fieldset>
  );
}

/** A check of another kind; a text stays if the new kind asks for a text as well. */
const begun = (kind: CheckKind, { value }: CheckDraft): Partial<CheckDraft> => {
  const beginning = beginningOf(kind);
  return { kind, value: beginning === "" && typeof value === "string" ? value : beginning };
};

interface CheckValueProps {
  check: CheckDraft;
  label: string;
  change: (value: unknown) => void;
}

/** What a check asks for: one line for a text, the fields of its schema for the others. */
function CheckValue({ check, label, change }: CheckValueProps) {
  const { kind, value } = check;
  const schema = schemaOfCheck(kind);
  if (schema.type === "string" && schema.enum === undefined) {
    return (
      <TextInput
        aria-label={label}
        value={typeof value === "string" ? value : ""}
        autoComplete="off"
        onChange={(event) => change(event.currentTarget.value)}
      />
    );
  }
  return (
    <SchemaFormField
      label={texts.checkKinds[kind]}
      schema={schema}
      value={value}
      path={kind}
      isRequired
      faults={faultsOfCheck(check)}
      onChange={change}
    />
  );
}
