import { TextInput, type TextInputProps } from "@mantine/core";
import { type KeyboardEvent, useState } from "react";
import { numberTexts as texts } from "../../texts/parts.ts";
import { decimalSign } from "../text/locale.ts";
import {
  type NumberEntry,
  type NumberRules,
  plainDecimal,
  readNumber,
  UnreadableNumber,
  withSign,
} from "./number-entry.ts";

interface NumberFieldProps
  extends Pick<
    TextInputProps,
    "label" | "description" | "placeholder" | "required" | "withAsterisk" | "error" | "inputWrapperOrder"
  > {
  rules: NumberRules;
  value: NumberEntry;
  onChange: (value: NumberEntry) => void;
  /** Shown before the number, such as `$`. */
  prefix?: string;
  /** Step of the arrow keys, in the stored unit. */
  step?: number;
  /** Formats the value after the field loses the focus; digits and a point, shown with the sign of the page's language. */
  format?: (value: number) => string;
}

/** A number field. The text stays as typed until the field loses the focus, and a fault is shown below. */
export function NumberField(props: NumberFieldProps) {
  const { rules, value, onChange, prefix, step, error, format, ...field } = props;
  const [typed, setTyped] = useState<{ text: string; meant: NumberEntry }>();
  const [isHere, setHere] = useState(false);
  const [wasLeft, setLeft] = useState(false);
  const shownValue = (number: number) =>
    withSign(format?.(number) ?? plainDecimal(number, rules.scale), decimalSign);
  const set = (text: string) => {
    const meant = readNumber(text, rules, decimalSign);
    setTyped({ text, meant });
    onChange(meant);
  };
  // The typed text is shown while it still means the value; a value from outside replaces it.
  const isTyped = typed !== undefined && Object.is(typed.meant, value);
  const text = isTyped ? typed.text : textOf(value, shownValue);
  const selectZero = (input: HTMLInputElement) => {
    // Typing into an untouched 0 replaces it.
    if (!isTyped && value === 0) input.select();
  };
  const move = (event: KeyboardEvent, by: number) => {
    event.preventDefault();
    const { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY } = rules;
    const from = typeof value === "number" ? value : Math.max(min, 0);
    // Removes floating-point noise beyond the allowed digits.
    const digits = rules.scale === undefined ? Math.min(rules.decimals, 12) : 0;
    set(shownValue(Math.min(max, Math.max(min, Number((from + by).toFixed(digits))))));
  };
  return (
    <TextInput
      {...field}
      inputMode={rules.decimals === 0 ? "numeric" : "decimal"}
      autoComplete="off"
      {...(prefix === undefined ? {} : { leftSection: prefix, leftSectionWidth: 26 })}
      value={text}
      error={faultOf(value, isHere) ?? (wasLeft && field.required && value === null ? texts.needed : error)}
      onChange={(event) => set(event.currentTarget.value)}
      onFocus={(event) => {
        setHere(true);
        selectZero(event.currentTarget);
      }}
      onClick={(event) => selectZero(event.currentTarget)}
      onKeyDown={(event) => {
        if (step === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
        if (event.key === "ArrowUp") move(event, step);
        if (event.key === "ArrowDown") move(event, -step);
      }}
      onBlur={() => {
        setHere(false);
        setLeft(true);
        setTyped(undefined);
      }}
    />
  );
}

function textOf(value: NumberEntry, format: (value: number) => string): string {
  if (value instanceof UnreadableNumber) return value.text;
  return value === null ? "" : format(value);
}

/** Returns the fault to show. While the user types, a text that may still become a number has none. */
function faultOf(value: NumberEntry, isHere: boolean): string | undefined {
  if (!(value instanceof UnreadableNumber)) return undefined;
  return isHere && value.isUnfinished ? undefined : value.fault;
}
