import { Anchor } from "@mantine/core";
import { Link } from "wouter";

/** A tenant's name, linked to its operator page. */
export function TenantLink({ id, name }: { id: string; name: string }) {
  return (
    <Anchor component={Link} href={`/platform/operator/tenants/${encodeURIComponent(id)}`}>
      {name}
    </Anchor>
  );
}
