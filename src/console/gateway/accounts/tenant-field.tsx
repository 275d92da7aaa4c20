import { Anchor, Autocomplete, Text } from "@mantine/core";
import { Link } from "wouter";
import { tenantsPath } from "../../platform/tenant/tenant-paths.ts";
import { useNewestTenants } from "../../tenants/use-tenant-names.ts";
import { accountTexts as texts } from "../../texts/gateway/accounts.ts";
import { useDirectory } from "../use-directory.ts";

interface TenantFieldProps {
  value: string;
  change: (tenant: string) => void;
}

/** The id of a tenant, with those that the gateway and the platform know as suggestions. */
export function TenantField({ value, change }: TenantFieldProps) {
  const read = useNewestTenants();
  const names = new Map(read?.map(({ id, display_name }) => [id, display_name]));
  const directory = useDirectory();
  const ids = [
    ...new Set([...names.keys(), ...(directory.data?.entries.map(({ account }) => account.tenant_id) ?? [])]),
  ];
  const name = names.get(value);
  return (
    <div>
      <Autocomplete
        label={texts.tenant}
        description={name ?? texts.tenantHint}
        required
        maxLength={255}
        autoComplete="off"
        data={ids}
        renderOption={({ option }) => (
          <span className="ar-gw-option">
            <span>{names.get(option.value) ?? option.value}</span>
            {names.has(option.value) && <small className="ar-soft ar-mono">{option.value}</small>}
          </span>
        )}
        filter={({ options, search }) => {
          const part = search.toLowerCase();
          return options.filter(
            (option) =>
              "value" in option &&
              (option.value.toLowerCase().includes(part) ||
                (names.get(option.value) ?? "").toLowerCase().includes(part)),
          );
        }}
        value={value}
        onChange={change}
      />
      {read?.length === 0 && (
        <Text size="sm" mt={4}>
          {texts.noTenants}{" "}
          <Anchor component={Link} href={tenantsPath}>
            {texts.createTenant}
          </Anchor>
        </Text>
      )}
    </div>
  );
}
