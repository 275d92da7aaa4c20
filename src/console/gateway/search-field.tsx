import { TextInput } from "@mantine/core";
import { useEffect, useState } from "react";
import { Icon } from "../parts/icon.tsx";

interface SearchFieldProps {
  label: string;
  value: string;
  change: (text: string) => void;
}

/** A text that filters the list a moment after the last letter. */
export function SearchField({ label, value, change }: SearchFieldProps) {
  const [typed, setTyped] = useState(value);
  useEffect(() => setTyped(value), [value]);
  useEffect(() => {
    if (typed === value) return;
    const timer = setTimeout(() => change(typed), 250);
    return () => clearTimeout(timer);
  }, [typed, value, change]);
  return (
    <TextInput
      aria-label={label}
      placeholder={label}
      leftSection={<Icon name="search" />}
      maxLength={255}
      value={typed}
      onChange={(event) => setTyped(event.currentTarget.value)}
    />
  );
}
