import { useQuery } from "@tanstack/react-query";
import { pathOf } from "../../../manifest/fault.ts";
import { valueAt } from "../../../manifest/value-at.ts";
import { isRecord } from "../../parts/is-record.ts";
import { useHost } from "../host.ts";
import { useFormContent } from "./form-context.ts";
import { SchemaField } from "./schema-field.tsx";

/** Provider, model and parameters of the model at a path of the manifest. */
export function ModelFields({ at }: { at: string }) {
  const { providers, listModels, providerNote } = useHost();
  const { value, merge } = useFormContent();
  const { data } = useQuery({ queryKey: providers.key, queryFn: providers.read });
  const present = valueAt(value, pathOf(at));
  const provider = valueAt(present, ["provider"]);
  const entry = data?.find(({ name }) => name === provider);
  // A server that doesn't answer suggests nothing; the field takes any text.
  const listed = useQuery({
    queryKey: [...providers.key, "models", provider],
    queryFn: async () => (await listModels?.(String(provider))) ?? [],
    enabled: listModels !== undefined && entry?.canList === true,
    staleTime: 300_000,
    retry: false,
  });
  const known = [...new Set([...(entry?.models ?? []), ...(listed.data ?? [])])];
  return (
    <>
      <div className="ar-edit-pair">
        <SchemaField
          path={`${at}.provider`}
          suggestions={(data ?? []).map(({ name }) => name)}
          change={(next) => {
            const only = data?.find(({ name }) => name === next)?.models;
            // A provider with one model, such as the built-in one, needs no second choice.
            const model = only?.length === 1 ? { model: only[0] } : {};
            merge(pathOf(at), { ...(isRecord(present) ? present : {}), provider: next ?? "", ...model });
          }}
        />
        <SchemaField path={`${at}.model`} suggestions={known} />
      </div>
      {typeof provider === "string" && providerNote?.(provider)}
      <div className="ar-edit-pair">
        <SchemaField path={`${at}.parameters.temperature`} />
        <SchemaField path={`${at}.parameters.max_tokens`} />
      </div>
      <SchemaField path={`${at}.endpoint`} />
      <SchemaField path={`${at}.api_key_env`} />
    </>
  );
}
