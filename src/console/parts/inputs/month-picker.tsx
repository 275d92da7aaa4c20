import { TextInput } from "@mantine/core";
import { partTexts } from "../../texts/parts.ts";
import { useUrlState } from "../address/use-url-state.ts";

/** Returns the month of the page, `YYYY-MM` in UTC, from its address, the current month by default. */
export function useMonth(): [string, (month: string) => void] {
  const [named, setNamed] = useUrlState("period");
  const isMonth = /^2\d{3}-(0[1-9]|1[0-2])$/.test(named);
  return [isMonth ? named : new Date().toISOString().slice(0, 7), setNamed];
}

/** Selects the month of the page. */
export function MonthPicker() {
  const [month, setMonth] = useMonth();
  return (
    <TextInput
      type="month"
      size="xs"
      w={170}
      aria-label={partTexts.month}
      value={month}
      onChange={(event) => setMonth(event.currentTarget.value)}
    />
  );
}
