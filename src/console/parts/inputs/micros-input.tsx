import { microsDecimal, microsMax } from "../../../contracts/platform/billing/micros.ts";
import type { NumberEntry, NumberRules } from "./number-entry.ts";
import { NumberField } from "./number-field.tsx";

interface MicrosInputProps {
  label: string;
  description?: string;
  /** Whole micros; null if the field is empty. */
  value: NumberEntry;
  onChange: (micros: NumberEntry) => void;
  required?: boolean;
  prefix?: string;
}

/** An amount of credits or US dollars: at most six decimals, stored as whole micros. */
export const microsRules: NumberRules = { decimals: 6, scale: 6, min: 0, max: microsMax };

export const MicrosInput = (field: MicrosInputProps) => (
  <NumberField {...field} rules={microsRules} format={microsDecimal} />
);
