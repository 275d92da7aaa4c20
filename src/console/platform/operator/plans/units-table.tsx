import { Button, Fieldset, Group, SimpleGrid, Text, TextInput } from "@mantine/core";
import type { PlanSpec } from "../../../../contracts/platform/billing/plans.ts";
import { MicrosInput } from "../../../parts/inputs/micros-input.tsx";
import { NumberField } from "../../../parts/inputs/number-field.tsx";
import { planTexts as texts } from "../../../texts/platform/billing.ts";
import { parseSpec } from "./plan-form.ts";

interface UnitsTableProps {
  vertical: string;
  /** Units and features as JSON, which also has a field of its own. */
  spec: string;
  change: (spec: string) => void;
}

type Unit = PlanSpec["unidades"][string];

const countRules = { decimals: 0, min: 0, max: 1_000_000_000 };

/** Units of a plan as a table. While the JSON can't be read, there is none. */
export function UnitsTable({ vertical, spec, change }: UnitsTableProps) {
  const parsed = parseSpec(spec);
  if (parsed === undefined) return null;
  const units = Object.entries(parsed.unidades);
  const write = (next: [string, Unit][]) =>
    change(JSON.stringify({ ...parsed, unidades: Object.fromEntries(next) }));
  const replace = (at: number, name: string, unit: Unit) =>
    write(units.map((each, index) => (index === at ? [name, unit] : each)));
  return (
    <Fieldset legend={texts.units}>
      <Text className="ar-soft">{texts.unitsHint}</Text>
      {units.map(([name, unit], index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the name changes while it is typed
        <SimpleGrid key={index} cols={{ base: 1, sm: 4 }}>
          <TextInput
            label={texts.unit}
            aria-label={texts.unitName(index + 1)}
            value={name}
            onChange={(event) => replace(index, event.currentTarget.value, unit)}
          />
          <NumberField
            label={texts.unitIncluded}
            rules={countRules}
            value={unit.incluidas}
            onChange={(value) =>
              typeof value === "number" && replace(index, name, { ...unit, incluidas: value })
            }
          />
          <MicrosInput
            label={texts.unitExtra}
            prefix="$"
            value={unit.excedente_micros}
            onChange={(value) =>
              typeof value === "number" && replace(index, name, { ...unit, excedente_micros: value })
            }
          />
          <Button
            variant="default"
            aria-label={texts.removeUnitOf(name)}
            onClick={() => write(units.filter((_, each) => each !== index))}
          >
            {texts.removeUnit}
          </Button>
        </SimpleGrid>
      ))}
      <Group mt="xs">
        <Button
          size="xs"
          variant="default"
          onClick={() =>
            write([...units, [freeName(vertical, parsed.unidades), { incluidas: 0, excedente_micros: 0 }]])
          }
        >
          {texts.addUnit}
        </Button>
      </Group>
    </Fieldset>
  );
}

function freeName(vertical: string, units: PlanSpec["unidades"]): string {
  const numbers = Object.keys(units).map((_, index) => index + 1);
  const free = [...numbers, numbers.length + 1].find(
    (each) => !Object.hasOwn(units, `${vertical}.unit${each}`),
  );
  return `${vertical}.unit${free}`;
}
