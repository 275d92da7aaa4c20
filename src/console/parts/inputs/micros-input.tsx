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

/** A price per 1000 tokens: at most nine decimals, stored as whole thousandths of a micro. */
export const rateRules: NumberRules = { decimals: 9, scale: 9, min: 0, max: microsMax * 1000 };

export const RateInput = (field: MicrosInputProps) => (
  <NumberField {...field} rules={rateRules} format={(thousandths) => microsDecimal(thousandths / 1000)} />
);
