import { useQuery } from "@tanstack/react-query";
import { valueAt } from "../../../manifest/value-at.ts";
import { AddSelect } from "../../parts/inputs/add-select.tsx";
import { knowledgeKeys } from "../../studio/knowledge/knowledge-paths.ts";
import { useDaemon } from "../../studio/use-daemon.ts";
import { builderTexts as texts } from "../../texts/builder.ts";
import { collectionTool, toolCollections } from "../manifest/collection-tool.ts";
import { useFormContent } from "./form-context.ts";
import { SchemaField } from "./schema-field.tsx";

const toolsPath = ["spec", "tools"];

/** Documents of an agent: a pipeline whose passages are added to each question, and collections that it searches with a tool. */
export function KnowledgeSection() {
  const daemon = useDaemon();
  const { value, append } = useFormContent();
  const pipelines = useQuery({ queryKey: knowledgeKeys.pipelines, queryFn: daemon.listPipelines });
  const collections = useQuery({ queryKey: knowledgeKeys.collections, queryFn: daemon.listCollections });
  const used = toolCollections(value);
  const names = (collections.data?.collections ?? []).map(({ name }) => name);
  const searched = names.filter((name) => used.has(name));
  return (
    <>
      <div className="ar-edit-pair">
        <SchemaField
          path="spec.knowledge.pipeline"
          suggestions={(pipelines.data?.pipelines ?? []).map(({ name }) => name)}
        />
        {valueAt(value, ["spec", "knowledge"]) !== undefined && <SchemaField path="spec.knowledge.top_k" />}
      </div>
      <AddSelect
        label={texts.addCollection}
        description={
          searched.length === 0 ? texts.addCollectionHint : texts.searchedCollections(searched.join(", "))
        }
        placeholder={names.length === 0 ? texts.noCollections : texts.chooseCollection}
        disabled={names.length === 0}
        data={names.filter((name) => !used.has(name))}
        add={(name) => append(toolsPath, collectionTool(value, name))}
      />
    </>
  );
}
