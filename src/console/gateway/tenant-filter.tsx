import { Select } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { usePlatform } from "../platform/use-platform.ts";
import { useKnowsTenants, useTenantNames } from "../tenants/use-tenant-names.ts";
import { gatewayTexts as texts } from "../texts/gateway/gateway.ts";
import { useDirectory } from "./use-directory.ts";

interface TenantFilterProps {
  value: string;
  choose: (tenant: string) => void;
  /** Label above the field. Without one, the field is a filter of a list. */
  label?: string;
}

const shownAtOnce = 20;

/** Selects a tenant by its name, as far as the platform knows it, or by its id. */
export function TenantFilter({ value, choose, label }: TenantFilterProps) {
  const platform = usePlatform();
  const knowsTenants = useKnowsTenants();
  const directory = useDirectory();
  const [search, setSearch] = useState("");
  const [wanted] = useDebouncedValue(search.trim(), 200);
  const named = useQuery({
    queryKey: ["platform", "admin", "tenant-names", "searched", wanted],
    queryFn: () => platform.searchTenants({ search: wanted, limit: shownAtOnce }),
    enabled: knowsTenants && wanted !== "",
    placeholderData: keepPreviousData,
  });
  const found = named.data?.tenants ?? [];
  const used = [...new Set(directory.data?.entries.map(({ account }) => account.tenant_id))];
  const names = useTenantNames([...used, value]);
  const nameOf = (id: string) =>
    found.find((tenant) => tenant.id === id)?.display_name ?? names.get(id) ?? id;
  const ids = [...new Set([...(value === "" ? [] : [value]), ...used, ...found.map(({ id }) => id)])];
  const options = ids.map((id) => ({ value: id, label: nameOf(id) }));
  const typed = search.trim();
  const isKnown = options.some((option) => option.value === typed || option.label === typed);
  return (
    <Select
      {...(label === undefined ? { "aria-label": texts.tenant } : { label, required: true })}
      placeholder={label === undefined ? texts.anyTenant : texts.chooseTenant}
      searchable
      clearable={label === undefined}
      clearButtonProps={{ "aria-label": texts.anyTenant }}
      maxLength={255}
      data={[...options, ...(typed === "" || isKnown ? [] : [{ value: typed, label: typed }])]}
      filter={({ options: all, search: part }) =>
        all.filter((option) => "value" in option && matches(option, part.trim().toLowerCase()))
      }
      renderOption={({ option }) => (
        <span className="ar-gw-option">
          <span>{option.label}</span>
          {option.label !== option.value && <small className="ar-soft ar-mono">{option.value}</small>}
        </span>
      )}
      selectFirstOptionOnChange
      value={value === "" ? null : value}
      onSearchChange={setSearch}
      onChange={(id) => choose(id ?? "")}
    />
  );
}

const matches = ({ value, label }: { value: string; label: string }, part: string): boolean =>
  value.toLowerCase().includes(part) || label.toLowerCase().includes(part);
