import { TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { valueAt } from "../../../manifest/value-at.ts";
import { collectionName } from "../../documents/collection-name.ts";
import { AddSelect } from "../../parts/inputs/add-select.tsx";
import { builderTexts as texts } from "../../texts/builder.ts";
import { type BuilderHost, useHost } from "../host.ts";
import { collectionTool, toolCollections } from "../manifest/collection-tool.ts";
import { useFormContent } from "./form-context.ts";
import { SchemaField } from "./schema-field.tsx";

const toolsPath = ["spec", "tools"];

/** Documents of an agent: a pipeline whose passages are added to each question, and collections that it searches with a tool. */
export function KnowledgeSection() {
  const { pipelines, collections, Upload } = useHost();
  return (
    <>
      {pipelines !== undefined && <PipelineFields pipelines={pipelines} />}
      {collections !== undefined && <Collections collections={collections} Upload={Upload} />}
    </>
  );
}

function PipelineFields({ pipelines }: { pipelines: NonNullable<BuilderHost["pipelines"]> }) {
  const { value } = useFormContent();
  const { data } = useQuery({ queryKey: pipelines.key, queryFn: pipelines.read });
  return (
    <div className="ar-edit-pair">
      <SchemaField path="spec.knowledge.pipeline" suggestions={data ?? []} />
      {valueAt(value, ["spec", "knowledge"]) !== undefined && <SchemaField path="spec.knowledge.top_k" />}
    </div>
  );
}

interface CollectionsProps {
  collections: NonNullable<BuilderHost["collections"]>;
  Upload: BuilderHost["Upload"];
}

function Collections({ collections, Upload }: CollectionsProps) {
  const { value, append } = useFormContent();
  const { data = [] } = useQuery({ queryKey: collections.key, queryFn: collections.read });
  const used = toolCollections(value);
  const searched = [...used].filter((name) => typeof name === "string");
  const [named, setNamed] = useState<string>();
  const target = named ?? searched[0] ?? data[0] ?? texts.firstCollection;
  const isNameSound = collectionName.test(target);
  const add = (name: string) => append(toolsPath, collectionTool(value, name));
  return (
    <>
      <AddSelect
        label={texts.addCollection}
        description={
          searched.length === 0 ? texts.addCollectionHint : texts.searchedCollections(searched.join(", "))
        }
        placeholder={data.length === 0 ? texts.noCollections : texts.chooseCollection}
        disabled={data.length === 0}
        data={data.filter((name) => !used.has(name))}
        add={add}
      />
      {Upload !== undefined && (
        <fieldset className="ar-edit-group">
          <legend>{texts.uploadDocuments}</legend>
          <TextInput
            label={texts.collection}
            description={used.has(target) ? texts.isSearched : texts.becomesSearched}
            error={isNameSound ? undefined : texts.collectionNameRule}
            maxLength={63}
            value={target}
            onChange={(event) => setNamed(event.currentTarget.value)}
          />
          {isNameSound && (
            // The agent searches what is uploaded for it.
            <Upload key={target} collection={target} added={() => !used.has(target) && add(target)} />
          )}
        </fieldset>
      )}
    </>
  );
}
