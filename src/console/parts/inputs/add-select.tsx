import { Select, type SelectProps } from "@mantine/core";
import { useState } from "react";

interface AddSelectProps
  extends Pick<
    SelectProps,
    "label" | "description" | "placeholder" | "disabled" | "data" | "renderOption" | "nothingFoundMessage"
  > {
  add: (value: string) => void;
}

/** A searchable select that adds what is chosen and is empty again. */
export function AddSelect({ add, ...props }: AddSelectProps) {
  const [search, setSearch] = useState("");
  return (
    <Select
      {...props}
      searchable
      searchValue={search}
      onSearchChange={setSearch}
      value={null}
      // Otherwise a timer that is set when the list opens forgets the option that keys have chosen meanwhile, on a busy machine.
      selectFirstOptionOnDropdownOpen
      onChange={(value) => {
        setSearch("");
        if (value !== null) add(value);
      }}
    />
  );
}
