import { Autocomplete, Select } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useEffect, useState } from "react";
import { type ChannelName, channelNames } from "../../contracts/gateway/channels.ts";
import { useUrlState } from "../parts/address/use-url-state.ts";
import { channelTexts, gatewayTexts as texts } from "../texts/gateway/gateway.ts";
import { useGateway } from "./use-gateway.ts";

export const directoryKey = ["gateway", "directory"] as const;

/** Returns the newest accounts with their bindings, for names and suggestions. */
export function useDirectory() {
  const gateway = useGateway();
  return useQuery({
    queryKey: [...directoryKey, "newest"],
    queryFn: () => gateway.directory({ limit: 200 }),
    staleTime: 60_000,
  });
}

/** Tenant and channel of a list, in the page's address. */
export interface GatewayFilter {
  tenant?: string;
  channel?: ChannelName;
}

export function useGatewayFilter(): GatewayFilter {
  const [tenant] = useUrlState("tenant");
  const [channel] = useUrlState("channel");
  const known = channelNames.find((name) => name === channel);
  return { ...(tenant !== "" && { tenant }), ...(known !== undefined && { channel: known }) };
}

interface GatewayFiltersProps {
  /** True for a list that has no filter by channel. */
  tenantOnly?: true;
  /** Further filters, before these. */
  children?: ReactNode;
}

/** Fields that filter a list by tenant and channel. */
export function GatewayFilters({ tenantOnly, children }: GatewayFiltersProps) {
  const [tenant, setTenant] = useUrlState("tenant");
  const [channel, setChannel] = useUrlState("channel");
  const [typed, setTyped] = useState(tenant);
  useEffect(() => setTyped(tenant), [tenant]);
  const directory = useDirectory();
  const tenants = [...new Set(directory.data?.entries.map(({ account }) => account.tenant_id))].sort();
  return (
    <div className="ar-gw-filters">
      {children}
      <Autocomplete
        aria-label={texts.tenant}
        placeholder={texts.anyTenant}
        data={tenants}
        value={typed}
        maxLength={255}
        clearable
        clearButtonProps={{ "aria-label": texts.anyTenant }}
        onChange={setTyped}
        onOptionSubmit={setTenant}
        onClear={() => setTenant("")}
        onBlur={() => setTenant(typed.trim())}
        onKeyDown={(event) => {
          if (event.key === "Enter") setTenant(typed.trim());
        }}
      />
      {!tenantOnly && (
        <Select
          aria-label={texts.channel}
          placeholder={texts.anyChannel}
          data={channelNames.map((name) => ({ value: name, label: channelTexts[name] }))}
          value={channel === "" ? null : channel}
          clearable
          clearButtonProps={{ "aria-label": texts.anyChannel }}
          onChange={(value) => setChannel(value ?? "")}
        />
      )}
    </div>
  );
}
