import { NumberInput } from "@mantine/core";

interface MicrosInputProps {
  label: string;
  description?: string;
  /** Whole micros; null: none given. */
  value: number | null;
  onChange: (micros: number | null) => void;
  required?: boolean;
  prefix?: string;
}

/** An amount, written with up to six decimals and kept in whole micros. */
export function MicrosInput({ value, onChange, ...field }: MicrosInputProps) {
  return (
    <NumberInput
      {...field}
      min={0}
      max={1_000_000}
      decimalScale={6}
      thousandSeparator
      value={value === null ? "" : value / 1e6}
      onChange={(written) => onChange(typeof written === "number" ? Math.round(written * 1e6) : null)}
    />
  );
}
