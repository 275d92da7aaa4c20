import { Select } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { operatorTexts as texts } from "../../texts/platform/operator.ts";
import { usePlatform } from "../use-platform.ts";

interface TenantSelectProps {
  /** The tenant's id; "" if none is selected. */
  value: string;
  choose: (tenantId: string) => void;
  /** Label above the field. Without one, the field is a filter of a list. */
  label?: string;
  required?: boolean;
  /** What the list shows without a tenant. */
  any?: string;
}

const shownAtOnce = 20;

/** Selects a tenant by a part of its name or code, or by its id. */
export function TenantSelect({ value, choose, label, required = false, any }: TenantSelectProps) {
  const platform = usePlatform();
  const [search, setSearch] = useState("");
  const chosen = useQuery({
    queryKey: ["platform", "admin", "tenant-names", "chosen", value],
    queryFn: () => platform.searchTenants({ search: value, limit: 1 }),
    enabled: value !== "",
  });
  const named = chosen.data?.tenants.find(({ id }) => id === value);
  const chosenLabel = value === "" ? undefined : named === undefined ? value : labelOf(named);
  const [wanted] = useDebouncedValue(search === chosenLabel ? "" : search.trim(), 200);
  const { data } = useQuery({
    queryKey: ["platform", "admin", "tenant-names", wanted],
    queryFn: () => platform.searchTenants({ search: wanted, limit: shownAtOnce }),
    placeholderData: keepPreviousData,
  });
  const found = (data?.tenants ?? []).filter(({ id }) => id !== value);
  return (
    <Select
      {...(label === undefined ? { "aria-label": texts.tenant } : { label })}
      placeholder={any ?? (label === undefined ? texts.anyTenant : texts.chooseTenant)}
      required={required}
      searchable
      clearable={!required}
      clearButtonProps={{ "aria-label": any ?? texts.anyTenant }}
      nothingFoundMessage={texts.noTenantFound}
      // The server has already filtered the list.
      filter={({ options }) => options}
      data={[
        ...(chosenLabel === undefined ? [] : [{ value, label: chosenLabel }]),
        ...found.map((tenant) => ({ value: tenant.id, label: labelOf(tenant) })),
      ]}
      value={value === "" ? null : value}
      onSearchChange={setSearch}
      onChange={(id) => choose(id ?? "")}
    />
  );
}

/** Includes the code, because names are not unique. */
const labelOf = ({ display_name, cr_name }: { display_name: string; cr_name: string }): string =>
  `${display_name} (${cr_name})`;
