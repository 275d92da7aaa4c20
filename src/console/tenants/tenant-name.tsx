import { useTenantNames } from "./use-tenant-names.ts";

/** A tenant by its name, or else by its id. */
export function TenantName({ id }: { id: string }) {
  const name = useTenantNames([id]).get(id);
  if (name === undefined) return <span className="ar-mono ar-break">{id}</span>;
  return (
    <bdi className="ar-break" title={id}>
      {name}
    </bdi>
  );
}
