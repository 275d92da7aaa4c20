import { Button, Select, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { Template } from "../../../contracts/gateway/messages.ts";
import { Loaded } from "../../parts/states/loaded.tsx";
import { replyTexts as texts } from "../../texts/gateway/reply.ts";
import { useGateway } from "../use-gateway.ts";
import {
  fieldsOf,
  filledPreview,
  filledTemplate,
  mediaHeaderOf,
  type TemplateChoice,
} from "./template-values.ts";

interface TemplateFormProps {
  account: string;
  isSending: boolean;
  send: (template: Template) => void;
}

/** Chooses an approved template of an account, fills its placeholders, and shows what the user will see. */
export function TemplateForm({ account, isSending, send }: TemplateFormProps) {
  const gateway = useGateway();
  const query = useQuery({
    queryKey: ["gateway", "templates", account],
    queryFn: () => gateway.listTemplates(account),
    staleTime: 60_000,
  });
  return (
    <Loaded query={query} rows={2}>
      {({ templates }) => {
        const approved = templates.filter(({ status }) => status.toUpperCase() === "APPROVED");
        if (approved.length === 0) return <p className="ar-soft">{texts.noTemplates}</p>;
        return <Chooser templates={approved} isSending={isSending} send={send} />;
      }}
    </Loaded>
  );
}

function Chooser({
  templates,
  isSending,
  send,
}: Omit<TemplateFormProps, "account"> & { templates: readonly TemplateChoice[] }) {
  const [name, setName] = useState<string | null>(null);
  const [language, setLanguage] = useState<string | null>(null);
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const names = [...new Set(templates.map((one) => one.name))].sort();
  const ofName = templates.filter((one) => one.name === name);
  const listed = ofName.find((one) => one.language === language) ?? ofName[0];
  const fields = listed === undefined ? [] : fieldsOf(listed);
  const media = listed && mediaHeaderOf(listed);
  const isComplete =
    listed !== undefined &&
    media === undefined &&
    fields.every(({ key }) => (values[key] ?? "").trim() !== "");
  return (
    <form
      className="ar-template"
      aria-label={texts.template}
      onSubmit={(event) => {
        event.preventDefault();
        if (isComplete && !isSending) send(filledTemplate(listed, values));
      }}
    >
      <div className="ar-template-choice">
        <Select
          size="xs"
          label={texts.template}
          placeholder={texts.chooseTemplate}
          searchable
          data={names}
          value={name}
          onChange={(chosen) => {
            setName(chosen);
            setValues({});
          }}
        />
        {ofName.length > 0 && (
          <Select
            size="xs"
            label={texts.language}
            allowDeselect={false}
            data={ofName.map((one) => one.language)}
            value={listed?.language ?? null}
            onChange={setLanguage}
          />
        )}
      </div>
      {fields.map(({ key, in: where, name: placeholder }) => (
        <TextInput
          key={key}
          size="xs"
          label={texts.where[where](placeholder)}
          required
          maxLength={1024}
          value={values[key] ?? ""}
          onChange={(event) => {
            const { value } = event.currentTarget;
            setValues((now) => ({ ...now, [key]: value }));
          }}
        />
      ))}
      {listed !== undefined && (
        <section aria-label={texts.preview} className="ar-template-preview ar-break" dir="auto">
          {filledPreview(listed, values)}
        </section>
      )}
      {media !== undefined && <p className="ar-soft">{texts.needsFile(media)}</p>}
      <Button type="submit" size="xs" disabled={!isComplete} loading={isSending}>
        {texts.sendTemplate}
      </Button>
    </form>
  );
}
