import { NumberInput } from "@mantine/core";
import { useState } from "react";
import type { Schema } from "../manifest/schema-at.ts";

interface NumberFieldProps {
  label: string;
  description: string | undefined;
  error: string | undefined;
  withAsterisk: boolean;
  inputWrapperOrder: ("label" | "input" | "description" | "error")[];
  placeholder: string;
  schema: Schema;
  value: unknown;
  onChange: (value: number | undefined) => void;
}

/** A number; what is on the way to one (`-`, `0.`) stands in the field alone until it is one. */
export function NumberField({ schema, value, onChange, ...words }: NumberFieldProps) {
  const [typed, setTyped] = useState<{ text: string | number; meant: unknown }>();
  const shown = typed !== undefined && typed.meant === value ? typed.text : ((value as number) ?? "");
  return (
    <NumberInput
      {...words}
      value={shown}
      allowDecimal={schema.type === "number"}
      allowNegative={(schema.minimum ?? 0) < 0}
      step={schema.type === "number" ? 0.1 : 1}
      clampBehavior="none"
      {...(schema.minimum === undefined ? {} : { min: schema.minimum })}
      {...(schema.maximum === undefined ? {} : { max: schema.maximum })}
      onChange={(next) => {
        const number = next === "" || next === "-" ? Number.NaN : Number(next);
        const meant = Number.isNaN(number) ? undefined : number;
        setTyped({ text: next, meant });
        if (meant !== value) onChange(meant);
      }}
    />
  );
}
