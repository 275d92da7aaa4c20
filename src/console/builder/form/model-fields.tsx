import { useQuery } from "@tanstack/react-query";
import { pathOf } from "../../../manifest/fault.ts";
import { valueAt } from "../../../manifest/value-at.ts";
import { useDaemon } from "../../studio/use-daemon.ts";
import { useFormContent } from "./form-context.ts";
import { SchemaField } from "./schema-field.tsx";

/** Provider, model and parameters of the model at a path of the manifest. */
export function ModelFields({ at }: { at: string }) {
  const daemon = useDaemon();
  const { value } = useFormContent();
  const { data } = useQuery({ queryKey: ["daemon", "providers"], queryFn: daemon.listProviders });
  const provider = valueAt(value, [...pathOf(at), "provider"]);
  const entry = data?.providers.find(({ name }) => name === provider);
  const isConfigured = entry !== undefined && entry.configured !== "agent";
  // A server that doesn't answer suggests nothing; the field takes any text.
  const listed = useQuery({
    queryKey: ["daemon", "providers", "models", provider],
    queryFn: () => daemon.listProviderModels(String(provider)),
    enabled: isConfigured,
    staleTime: 300_000,
    retry: false,
  });
  const known = [
    ...new Set([...(entry?.models.map(({ model }) => model) ?? []), ...(listed.data?.models ?? [])]),
  ];
  return (
    <>
      <div className="ar-edit-pair">
        <SchemaField path={`${at}.provider`} />
        <SchemaField path={`${at}.model`} suggestions={known} />
      </div>
      <div className="ar-edit-pair">
        <SchemaField path={`${at}.parameters.temperature`} />
        <SchemaField path={`${at}.parameters.max_tokens`} />
      </div>
      <SchemaField path={`${at}.endpoint`} />
      <SchemaField path={`${at}.api_key_env`} />
    </>
  );
}
