import { TextInput } from "@mantine/core";
import { useState } from "react";
import { partTexts } from "../../texts/parts.ts";
import { useUrlState } from "../address/use-url-state.ts";

/** Returns the month of the page, `YYYY-MM` in UTC, from its address, the current month by default. */
export function useMonth(): [string, (month: string) => void] {
  const [named, setNamed] = useUrlState("period");
  return [isMonth(named) ? named : new Date().toISOString().slice(0, 7), setNamed];
}

const isMonth = (text: string): boolean => /^2\d{3}-(0[1-9]|1[0-2])$/.test(text);

/** Selects the month of the page. While someone types a year, browsers report months such as 0002-04, which no page has. */
export function MonthPicker() {
  const [month, setMonth] = useMonth();
  /** The typed text while it is not a valid month. */
  const [typed, setTyped] = useState<string>();
  return (
    <TextInput
      type="month"
      size="xs"
      w={170}
      aria-label={partTexts.month}
      value={typed ?? month}
      onChange={(event) => {
        const text = event.currentTarget.value;
        setTyped(isMonth(text) ? undefined : text);
        if (isMonth(text)) setMonth(text);
      }}
      onBlur={() => setTyped(undefined)}
    />
  );
}
