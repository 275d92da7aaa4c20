import { Button, Fieldset } from "@mantine/core";
import type { ReactNode } from "react";
import { pathOf } from "../../../manifest/fault.ts";
import { valueAt } from "../../../manifest/value-at.ts";
import { Icon } from "../../parts/icon.tsx";
import { builderTexts as texts } from "../../texts/builder.ts";
import { EntryProblems } from "./entry-problems.tsx";
import { useFormContent } from "./form-context.ts";

interface EntryListProps {
  /** Path of the list: `spec.orchestration.stages`. */
  path: string;
  /** Names the entry at a place, counted from 1. */
  labelOf: (place: number) => string;
  addLabel: string;
  /** Returns a new entry for a list with this many. */
  starter: (count: number) => object;
  /** Renders the fields of the entry at a path. */
  children: (path: string) => ReactNode;
}

/** A list of mappings in the manifest, each with fields, in its order. */
export function EntryList({ path, labelOf, addLabel, starter, children }: EntryListProps) {
  const { value, change, append } = useFormContent();
  const at = pathOf(path);
  const present = valueAt(value, at);
  const entries: unknown[] = Array.isArray(present) ? present : [];
  return (
    <>
      {entries.map((_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: an entry is known by its place alone
        <Fieldset key={index} legend={labelOf(index + 1)}>
          <div className="ar-edit-fields">
            <EntryProblems path={`${path}[${index}]`} isWithoutParts />
            {children(`${path}[${index}]`)}
            <div>
              <Button
                size="xs"
                variant="default"
                leftSection={<Icon name="trash" />}
                onClick={() => change([...at, index], undefined)}
              >
                {texts.remove(labelOf(index + 1))}
              </Button>
            </div>
          </div>
        </Fieldset>
      ))}
      <EntryProblems path={path} isWithoutParts />
      <div>
        <Button
          size="xs"
          variant="default"
          leftSection={<Icon name="plus" />}
          onClick={() => append(at, starter(entries.length))}
        >
          {addLabel}
        </Button>
      </div>
    </>
  );
}
