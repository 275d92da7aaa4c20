import { Button, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Icon } from "../../../parts/icon.tsx";
import { agentEditorTexts as texts } from "../../../texts/studio/agents.ts";
import { useDaemon } from "../../use-daemon.ts";
import { useFormContent, valueAt } from "./form-context.ts";
import { SchemaField } from "./schema-field.tsx";

const fallback = ["spec", "model", "fallback"];

/** The model of the agent and its fallback. */
export function ModelSection() {
  const { value, change } = useFormContent();
  const hasFallback = valueAt(value, fallback) !== undefined;
  const hasSeveral = hasFallback || valueAt(value, ["spec", "model", "fallbacks"]) !== undefined;
  return (
    <>
      <ModelFields at="spec.model.primary" />
      {hasFallback ? (
        <fieldset className="ar-edit-group">
          <legend>{texts.fallback}</legend>
          <Text size="xs" className="ar-soft">
            {texts.fallbackHint}
          </Text>
          <ModelFields at="spec.model.fallback" />
          <Button
            size="xs"
            variant="default"
            leftSection={<Icon name="trash" size={14} />}
            onClick={() => change(fallback, undefined)}
          >
            {texts.removeFallback}
          </Button>
        </fieldset>
      ) : (
        <Button
          size="xs"
          variant="default"
          leftSection={<Icon name="plus" size={14} />}
          onClick={() => change(fallback, { provider: "ollama", model: "llama3.2" })}
        >
          {texts.addFallback}
        </Button>
      )}
      {hasSeveral && <SchemaField path="spec.model.routing.strategy" />}
    </>
  );
}

function ModelFields({ at }: { at: string }) {
  const daemon = useDaemon();
  const { value } = useFormContent();
  const { data } = useQuery({ queryKey: ["daemon", "providers"], queryFn: daemon.listProviders });
  const provider = valueAt(value, [...at.split("."), "provider"]);
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
