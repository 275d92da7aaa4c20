import { Select } from "@mantine/core";
import type { ReactNode } from "react";
import { type ChannelName, channelNames } from "../../contracts/gateway/channels.ts";
import { useUrlState } from "../parts/address/use-url-state.ts";
import { channelTexts, gatewayTexts as texts } from "../texts/gateway/gateway.ts";
import { TenantFilter } from "./tenant-filter.tsx";
import { useDesk } from "./use-gateway.ts";

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
  const desk = useDesk();
  return (
    <div className="ar-gw-filters">
      {children}
      {desk === undefined && <TenantFilter value={tenant} choose={setTenant} />}
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
