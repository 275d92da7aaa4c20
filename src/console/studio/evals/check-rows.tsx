import { Button, Group, Select, Text, TextInput } from "@mantine/core";
import { Icon } from "../../parts/icon.tsx";
import { evalTexts as texts } from "../../texts/studio/evals.ts";
import { type CheckDraft, type TextCheck, textChecks } from "./case-draft.ts";

interface CheckRowsProps {
  checks: readonly CheckDraft[];
  change: (checks: CheckDraft[]) => void;
}

/** Checks of an answer's text: a row for each. */
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
      {checks.map(({ key, kind, text }, index) => (
        <div key={key} className="ar-eval-check">
          <Select
            aria-label={`${texts.checkKind}, ${texts.checkNumber(index + 1)}`}
            allowDeselect={false}
            value={kind}
            data={textChecks.map((value) => ({ value, label: texts.checkKinds[value] }))}
            onChange={(value) => set(key, { kind: (value ?? kind) as TextCheck })}
          />
          <TextInput
            aria-label={`${texts.checkValue}, ${texts.checkNumber(index + 1)}`}
            value={text}
            autoComplete="off"
            onChange={(event) => set(key, { text: event.currentTarget.value })}
          />
          <Button
            variant="subtle"
            color="gray"
            size="compact-sm"
            aria-label={`${texts.removeCheck} ${texts.checkNumber(index + 1)}`}
            onClick={() => change(checks.filter((one) => one.key !== key))}
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
              { key: Math.max(-1, ...checks.map(({ key }) => key)) + 1, kind: "contains", text: "" },
            ])
          }
        >
          {texts.addCheck}
        </Button>
      </Group>
    </fieldset>
  );
}
